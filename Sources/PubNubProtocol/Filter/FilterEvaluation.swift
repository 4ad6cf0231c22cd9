/// Evaluates filter expressions over a message. A comparison with a missing value is false (rule PF-5).
extension PubNubFilterSubject {
    /// Whether the last evaluation exceeded its work limit and was stopped.
    var isExhausted: Bool { work > PubNubFilter.maximumWork }

    /// Counts `units` of work for this evaluation. Call it before doing the work. Returns false when the evaluation has exceeded its limit;
    /// the caller then must not do the work (rule PF-31).
    private mutating func spend(_ units: Int) -> Bool {
        work += units
        return !isExhausted
    }

    mutating func passes(_ node: FilterNode) -> Bool {
        guard spend(1) else { return false }
        switch node {
        case .and(let nodes):
            for node in nodes where !passes(node) { return false }
            return true
        case .or(let nodes):
            for node in nodes where passes(node) { return true }
            return false
        case .not(let node):
            return !passes(node)
        case .comparison(let comparison, let left, let right):
            let (left, right) = (value(left), value(right))
            return spend(left.size + right.size) && compare(left, to: right, by: comparison)
        case .like(let left, _, let pattern?):
            let text = value(left)
            return spend(Self.likeWork * text.size) && text.isLike(pattern)
        case .like(let left, let right, nil):
            guard let pattern = value(right).text else { return false }
            let text = value(left)
            return spend(Self.likeWork * (text.size + pattern.utf8.count)) && text.isLike(FilterWildcard(pattern))
        case .contains(let left, let right):
            let (left, right) = (value(left), value(right))
            return spend(left.workToSearch(for: right)) && left.contains(right)
        case .number, .string, .bool, .list, .path, .negated, .arithmetic:
            return value(node).isTrue
        }
    }

    /// The units of work that LIKE counts for each byte. LIKE ignores letter case, so it needs more time for a byte than other comparisons.
    private static let likeWork = 4

    private mutating func value(_ node: FilterNode) -> FilterValue {
        guard spend(1) else { return .missing }
        switch node {
        case .number(let number): return .number(number)
        case .string(let string): return .string(string.text)
        case .bool(let bool): return .bool(bool)
        case .list(let nodes): return .list(nodes.map { value($0) })
        case .path(let path): return value(path)
        case .negated(let operand): return calculate(.minus, left: .number(.integer(0)), right: value(operand))
        case .arithmetic(let first, let operations):
            var result = value(first)
            for operation in operations { result = calculate(operation.symbol, left: result, right: value(operation.operand)) }
            return result
        case .comparison, .like, .contains, .not, .and, .or: return .bool(passes(node))
        }
    }

    private mutating func calculate(
        _ symbol: FilterOperation.Symbol, left: FilterValue, right: FilterValue
    ) -> FilterValue {
        spend(left.size + right.size) ? symbol.apply(left, right) : .missing
    }

    private mutating func value(_ path: FilterPath) -> FilterValue {
        if let known = values[path] { return known }
        let before = (metadata?.work ?? 0) + data.work
        let found: FilterValue
        switch path.root {
        case .meta: found = metadata?.value(at: path.steps) ?? .missing
        case .data:
            let value = data.value(at: path.steps)
            found =
                if value == .missing, let customType, path == Self.customTypePath { .string(customType) } else { value }
        }
        values[path] = found
        // The work of a lookup is counted after the lookup. This is safe, because a lookup reads the message only a few times.
        return spend((metadata?.work ?? 0) + data.work - before) ? found : .missing
    }

    private static let customTypePath = FilterPath(root: .data, steps: [.key(Array("customMessageType".utf8))])

    private func compare(_ left: FilterValue, to right: FilterValue, by comparison: FilterComparison) -> Bool {
        switch comparison {
        case .equal: left.equals(right) ?? false
        case .unequal: left.equals(right).map { !$0 } ?? false
        case .greater: left.order(right, ordersTexts: ordersTexts).map { $0 > 0 } ?? false
        case .less: left.order(right, ordersTexts: ordersTexts).map { $0 < 0 } ?? false
        case .greaterOrEqual: left.order(right, ordersTexts: ordersTexts).map { $0 >= 0 } ?? false
        case .lessOrEqual: left.order(right, ordersTexts: ordersTexts).map { $0 <= 0 } ?? false
        }
    }
}
