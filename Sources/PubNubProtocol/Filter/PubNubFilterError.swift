/// The reason why a filter expression is invalid, and the position of the error.
public struct PubNubFilterError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason why the expression is invalid.
    public enum Reason: Hashable, Sendable {
        /// The expression is empty or only white space.
        case empty
        /// The expression is longer than ``PubNubFilter/maximumLength``.
        case tooLong
        /// The nesting or a path is deeper than ``PubNubFilter/maximumDepth``.
        case tooDeep
        /// There are more operators than ``PubNubFilter/maximumOperators``.
        case tooManyOperators
        /// All lists together have more elements than ``PubNubFilter/maximumElements``.
        case tooManyElements
        /// The character at this position cannot begin a token.
        case unexpectedCharacter
        case unterminatedString
        case invalidNumber
        /// A value is expected at this position.
        case expectedOperand
        /// Two values follow each other without an operator.
        case expectedOperator
        case expectedClosingParenthesis
        /// A name is expected after a dot.
        case expectedName
        /// Brackets contain something other than one integer or one string.
        case invalidIndex
        /// A list contains something other than strings, numbers, `true` and `false`.
        case invalidListElement
    }

    public let reason: Reason
    /// The position of the error as an offset in the expression's UTF-8.
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
