/// Why a text is not JSON, and at which byte.
///
/// The error contains no part of the text, so it is safe to log.
public struct JSONSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong with the text.
    public enum Kind: String, Hashable, Sendable {
        case truncated = "the text ends too early"
        case unexpectedByte = "unexpected byte"
        case controlCharacter = "control character inside a string"
        case invalidEscape = "invalid escape"
        case loneSurrogate = "half of a surrogate pair"
        case invalidNumber = "invalid number"
        case tooDeep = "nested too deeply"
        case trailingBytes = "unexpected text after the value"
        case invalidUTF8 = "not UTF-8"
    }

    public var kind: Kind
    /// The offset in bytes at which the error was found.
    public var offset: Int

    @inlinable
    public init(_ kind: Kind, at offset: Int) {
        self.kind = kind
        self.offset = offset
    }

    public var description: String { "\(kind.rawValue) at byte \(offset)" }
}

/// The kinds of JSON values.
public enum JSONKind: Hashable, Sendable {
    case object, array, string, number, bool, null
}
