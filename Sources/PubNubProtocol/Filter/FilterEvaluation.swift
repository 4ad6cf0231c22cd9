/// Evaluates expressions over a message: comparisons with what is missing are false (rule PF-5).
extension PubNubFilterSubject {
    mutating func passes(_ node: FilterNode) -> Bool {
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
            return compare(comparison, value(left), value(right))
        case .like(let left, _, let pattern?):
            return value(left).isLike(pattern)
        case .like(let left, let right, nil):
            guard let pattern = value(right).text else { return false }
            return value(left).isLike(FilterWildcard(pattern))
        case .contains(let left, let right):
            return value(left).contains(value(right))
        case .number, .string, .bool, .list, .path, .negated, .arithmetic:
            return value(node).isTrue
        }
    }

    private mutating func value(_ node: FilterNode) -> FilterValue {
        switch node {
        case .number(let number): return .number(number)
        case .string(let string): return .string(string.text)
        case .bool(let bool): return .bool(bool)
        case .list(let nodes): return .list(nodes.map { value($0) })
        case .path(let path): return value(path)
        case .negated(let operand): return FilterOperation.Symbol.minus.apply(.number(.integer(0)), value(operand))
        case .arithmetic(let first, let operations):
            var result = value(first)
            for operation in operations { result = operation.symbol.apply(result, value(operation.operand)) }
            return result
        case .comparison, .like, .contains, .not, .and, .or: return .bool(passes(node))
        }
    }

    private mutating func value(_ path: FilterPath) -> FilterValue {
        switch path.root {
        case .meta: return metadata?.value(at: path.steps) ?? .missing
        case .data:
            let found = data.value(at: path.steps)
            guard found == .missing, let customType, path == Self.customTypePath else { return found }
            return .string(customType)
        }
    }

    private static let customTypePath = FilterPath(root: .data, steps: [.key(Array("customMessageType".utf8))])

    private func compare(_ comparison: FilterComparison, _ left: FilterValue, _ right: FilterValue) -> Bool {
        switch comparison {
        case .equal: left.equals(right) ?? false
        case .unequal: left.equals(right).map { !$0 } ?? false
        case .greater: left.order(right).map { $0 > 0 } ?? false
        case .less: left.order(right).map { $0 < 0 } ?? false
        case .greaterOrEqual: left.order(right).map { $0 >= 0 } ?? false
        case .lessOrEqual: left.order(right).map { $0 <= 0 } ?? false
        }
    }
}
