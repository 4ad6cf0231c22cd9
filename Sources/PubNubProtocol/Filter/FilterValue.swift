/// A value during the evaluation of a filter expression.
enum FilterValue: Hashable, Sendable {
    /// The result of a missing field, of null, of an object, or of an undefined calculation.
    case missing
    case bool(Bool)
    case number(FilterNumber)
    case string(String)
    case list([FilterValue])

    /// The value as a number; nil when it is neither a number nor a numeric string (rule PF-6).
    var number: FilterNumber? {
        switch self {
        case .number(let value): value
        case .string(let text): FilterNumber(text)
        default: nil
        }
    }

    /// The value as text for LIKE and CONTAINS; nil for lists and missing values.
    var text: String? {
        switch self {
        case .string(let text): text
        case .bool(let value): value ? "true" : "false"
        case .number(.integer(let value)): String(value)
        case .number(.double(let value)): String(value)
        case .missing, .list: nil
        }
    }

    /// Whether this value alone, without a comparison, lets a message pass the filter (rule PF-10).
    var isTrue: Bool {
        switch self {
        case .bool(let value): value
        case .string(let text): text == "true"
        case .number(let value): value.double != 0
        case .missing, .list: false
        }
    }

    /// Whether two values are equal; nil when they cannot be compared (rules PF-5 to PF-7).
    func equals(_ other: FilterValue) -> Bool? {
        switch (self, other) {
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.bool(let left), .bool(let right)): left == right
        case (.bool(let bool), .string(let text)), (.string(let text), .bool(let bool)): text == (bool ? "true" : "false")
        case (.number, .number), (.number, .string), (.string, .number): order(other).map { $0 == 0 }
        default: nil
        }
    }

    /// Compares two numbers: negative when this value is less, zero when both are equal, positive when it is greater. Nil when a value is
    /// not a number.
    ///
    /// - Parameter ordersTexts: whether two strings are also compared, by their bytes.
    func order(_ other: FilterValue, ordersTexts: Bool = false) -> Int? {
        guard let left = number, let right = other.number else {
            guard ordersTexts, case .string(let left) = self, case .string(let right) = other else { return nil }
            return left.utf8.elementsEqual(right.utf8) ? 0 : left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : 1
        }
        if case .integer(let left) = left, case .integer(let right) = right {
            return left < right ? -1 : left == right ? 0 : 1
        }
        return left.double < right.double ? -1 : left.double == right.double ? 0 : 1
    }

    /// The approximate number of bytes that a comparison reads.
    var size: Int {
        switch self {
        case .missing, .bool, .number: 1
        case .string(let text): text.utf8.count + 1
        case .list(let elements): elements.reduce(1) { $0 + $1.size }
        }
    }

    /// The approximate maximum number of bytes that ``contains(_:)`` reads.
    func workToSearch(for other: FilterValue) -> Int {
        guard case .list(let elements) = self else { return size + other.size }
        // Each element of this list is compared with `other`. A comparison of texts reads as many bytes as the shorter text has. For an
        // element that is a number, the text of `other` is parsed as a number.
        return elements.reduce(1) { work, element in
            if case .number = element { work + other.size } else { work + min(element.size, other.size) + 1 }
        }
    }

    /// Whether this value contains `other`, as an element of a list or as a part of a text (rule PF-13).
    func contains(_ other: FilterValue) -> Bool {
        switch self {
        case .list(let elements): elements.contains { $0.equals(other) == true }
        case .missing: false
        default:
            if let text, let part = other.text {
                FilterNeedle(Array(part.utf8)).end(in: Array(text.utf8)[...]) != nil
            } else {
                false
            }
        }
    }

    /// Whether this value, or an element of this list, matches a pattern (rule PF-12).
    func isLike(_ pattern: FilterWildcard) -> Bool {
        if case .list(let elements) = self { return elements.contains { $0.text.map(pattern.matches) ?? false } }
        return text.map(pattern.matches) ?? false
    }
}

extension FilterOperation.Symbol {
    /// The result of an arithmetic operation. Integers give an exact result unless the result overflows; an undefined result is `missing`
    /// (rule PF-8).
    func apply(_ left: FilterValue, _ right: FilterValue) -> FilterValue {
        guard let left = left.number, let right = right.number else { return .missing }
        if case .integer(let left) = left, case .integer(let right) = right, let exact = exact(left, right) {
            return .number(.integer(exact))
        }
        let result = inexact(left.double, right.double)
        return result.isFinite ? .number(.double(result)) : .missing
    }

    private func exact(_ left: Int, _ right: Int) -> Int? {
        let result: (partialValue: Int, overflow: Bool)
        switch self {
        case .plus: result = left.addingReportingOverflow(right)
        case .minus: result = left.subtractingReportingOverflow(right)
        case .times: result = left.multipliedReportingOverflow(by: right)
        case .modulo: result = left.remainderReportingOverflow(dividingBy: right)
        case .divided:
            let remainder = left.remainderReportingOverflow(dividingBy: right)
            guard !remainder.overflow, remainder.partialValue == 0 else { return nil }
            result = left.dividedReportingOverflow(by: right)
        }
        return result.overflow ? nil : result.partialValue
    }

    private func inexact(_ left: Double, _ right: Double) -> Double {
        switch self {
        case .plus: left + right
        case .minus: left - right
        case .times: left * right
        case .divided: left / right
        case .modulo: left.truncatingRemainder(dividingBy: right)
        }
    }
}
