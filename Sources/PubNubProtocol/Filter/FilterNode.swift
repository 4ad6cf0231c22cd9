/// A node of a parsed filter expression. A chain such as `a && b && c` or `a + b - c` is a single node, so the depth of the tree depends
/// only on the nesting of the expression.
indirect enum FilterNode: Hashable, Sendable {
    case number(FilterNumber)
    case string(FilterString)
    case bool(Bool)
    /// A list of numbers, strings and booleans.
    case list([FilterNode])
    case path(FilterPath)
    case negated(FilterNode)
    case arithmetic(FilterNode, [FilterOperation])
    case comparison(FilterComparison, FilterNode, FilterNode)
    /// A LIKE comparison. The third value is the compiled pattern if the right side is a literal; otherwise nil.
    case like(FilterNode, FilterNode, FilterWildcard?)
    case contains(FilterNode, FilterNode)
    case not(FilterNode)
    case and([FilterNode])
    case or([FilterNode])

    /// Whether the node may be an element of a list: a number, a string or a boolean.
    var isLiteral: Bool {
        switch self {
        case .number, .string, .bool: true
        default: false
        }
    }
}

enum FilterComparison: String, Hashable, Sendable {
    case equal = "=="
    case unequal = "!="
    case greaterOrEqual = ">="
    case lessOrEqual = "<="
    case greater = ">"
    case less = "<"
}

/// An operator and its right operand in a chain such as `a + b - c` or `a * b % c`.
struct FilterOperation: Hashable, Sendable {
    enum Symbol: String, Hashable, Sendable {
        case plus = "+"
        case minus = "-"
        case times = "*"
        case divided = "/"
        case modulo = "%"

        var isProduct: Bool { self != .plus && self != .minus }
    }

    var symbol: Symbol
    var operand: FilterNode
}

/// A number of a filter expression or a message. Integers are stored exactly, because timetokens have more digits than a floating-point
/// number can hold.
enum FilterNumber: Hashable, Sendable {
    case integer(Int)
    case double(Double)

    /// Parses a number in JSON syntax. Nil for other texts and for numbers that are not finite.
    init?(_ text: String) {
        guard text.utf8.allSatisfy(Self.isPart), text.utf8.first != UInt8(ascii: "+") else { return nil }
        if let integer = Int(text) {
            self = .integer(integer)
        } else if let double = Double(text), double.isFinite {
            self = .double(double)
        } else {
            return nil
        }
    }

    var double: Double {
        switch self {
        case .integer(let value): Double(value)
        case .double(let value): value
        }
    }

    private static func isPart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }
}

/// A string of a filter expression, in its two meanings: as a pattern for LIKE and as plain text.
struct FilterString: Hashable, Sendable {
    /// The string as a pattern: `\*` is an asterisk and `\\` a backslash; a bare `*` matches any text.
    let pattern: String
    /// The string as plain text, without escapes.
    let text: String

    init(pattern: String) {
        self.pattern = pattern
        var text = ""
        var isEscaped = false
        for scalar in pattern.unicodeScalars {
            if scalar == "\\", !isEscaped {
                isEscaped = true
            } else {
                text.unicodeScalars.append(scalar)
                isEscaped = false
            }
        }
        self.text = text
    }
}

/// The location of a value: in the metadata (`meta`) or in the payload (`data`), and the path within it.
struct FilterPath: Hashable, Sendable {
    enum Root: String, Hashable, Sendable {
        case meta
        case data
    }

    enum Step: Hashable, Sendable {
        /// The key of an object, in UTF-8.
        case key([UInt8])
        case index(Int)
    }

    var root: Root
    var steps: [Step]
}
