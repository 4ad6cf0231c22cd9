import Identifiers

extension FilterNode {
    /// The expression as text in normal form. Parsing this text gives the same tree.
    var text: String {
        switch self {
        case .number(.integer(let value)): String(value)
        case .number(.double(let value)): String(value)
        case .string(let value): "'" + value.pattern.replacing(byte: UInt8(ascii: "'"), with: "\\'") + "'"
        case .bool(let value): value ? "true" : "false"
        case .list(let elements): "(" + elements.map(\.text).joined(separator: ", ") + ")"
        case .path(let path): path.text
        case .negated(let node): "-" + node.enclosed(.unary)
        case .arithmetic(let first, let operations):
            operations.reduce(first.enclosed(operations[0].symbol.isProduct ? .unary : .product)) { text, operation in
                text + " \(operation.symbol.rawValue) "
                    + operation.operand.enclosed(operation.symbol.isProduct ? .unary : .product)
            }
        case .comparison(let comparison, let left, let right):
            left.enclosed(.sum) + " \(comparison.rawValue) " + right.enclosed(.sum)
        case .like(let left, let right, _): left.enclosed(.sum) + " LIKE " + right.enclosed(.sum)
        case .contains(let left, let right): left.enclosed(.sum) + " CONTAINS " + right.enclosed(.sum)
        case .not(let node): "!" + node.enclosed(.comparison)
        case .and(let nodes): nodes.map { $0.enclosed(.comparison) }.joined(separator: " && ")
        case .or(let nodes): nodes.map { $0.enclosed(.conjunction) }.joined(separator: " || ")
        }
    }

    /// The precedence levels of operators, lowest first. They show where the text needs parentheses.
    private enum Level: Int {
        case disjunction, conjunction, comparison, sum, product, unary
    }

    private var level: Level {
        switch self {
        case .or: .disjunction
        case .and: .conjunction
        case .comparison, .like, .contains, .not: .comparison
        case .arithmetic(_, let operations): operations[0].symbol.isProduct ? .product : .sum
        case .number, .string, .bool, .list, .path, .negated: .unary
        }
    }

    private func enclosed(_ minimum: Level) -> String {
        level.rawValue >= minimum.rawValue ? text : "(\(text))"
    }
}

extension FilterPath {
    /// The path as text in normal form: with its root, and with every key in brackets.
    fileprivate var text: String {
        steps.reduce(root.rawValue) { text, step in
            switch step {
            case .index(let index): text + "[\(index)]"
            case .key(let key):
                text + "['" + Self.escaped(String(decoding: key, as: UTF8.self)) + "']"
            }
        }
    }

    private static func escaped(_ key: String) -> String {
        key.replacing(byte: UInt8(ascii: "\\"), with: "\\\\").replacing(byte: UInt8(ascii: "'"), with: "\\'")
    }
}
