/// Why a filter expression cannot be understood, and where.
public struct PubNubFilterError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public enum Reason: Hashable, Sendable {
        /// Nothing but white space.
        case empty
        /// Longer than ``PubNubFilter/maximumLength``.
        case tooLong
        /// Nested, or with a path, deeper than ``PubNubFilter/maximumDepth``.
        case tooDeep
        /// More than ``PubNubFilter/maximumOperators``.
        case tooManyOperators
        /// Lists with more than ``PubNubFilter/maximumElements`` together.
        case tooManyElements
        /// A character that no part of the language begins with.
        case unexpectedCharacter
        case unterminatedString
        case invalidNumber
        /// A value is missing here.
        case expectedOperand
        /// Something follows that joins nothing.
        case expectedOperator
        case expectedClosingParenthesis
        /// A dot must be followed by a name.
        case expectedName
        /// Brackets hold one whole number or one string.
        case invalidIndex
        /// Lists hold strings, numbers, `true` and `false` only.
        case invalidListElement
    }

    public let reason: Reason
    /// The offset in the expression's UTF-8, where the problem is.
    public let position: Int

    init(_ reason: Reason, at position: Int) {
        self.reason = reason
        self.position = position
    }

    public var description: String { "\(words) at byte \(position)" }

    private var words: String {
        switch reason {
        case .empty: "The filter is empty"
        case .tooLong: "The filter is longer than \(PubNubFilter.maximumLength) bytes"
        case .tooDeep: "The filter is nested deeper than \(PubNubFilter.maximumDepth) levels"
        case .tooManyOperators: "The filter has more than \(PubNubFilter.maximumOperators) operators"
        case .tooManyElements: "The lists of the filter have more than \(PubNubFilter.maximumElements) elements"
        case .unexpectedCharacter: "Unexpected character"
        case .unterminatedString: "The string does not end"
        case .invalidNumber: "Invalid number"
        case .expectedOperand: "A value is expected"
        case .expectedOperator: "An operator or the end is expected"
        case .expectedClosingParenthesis: "A closing parenthesis is expected"
        case .expectedName: "A name is expected"
        case .invalidIndex: "A whole number or a string and a closing bracket are expected"
        case .invalidListElement: "Lists hold strings and numbers only"
        }
    }
}
