/// A rule of RESP3, or a limit, that the server violated. The connection must end, because the following bytes cannot be interpreted.
package enum RedisViolation: Error, Hashable, Sendable {
    /// The first byte of a value is not a type of RESP3.
    case unknownType(UInt8)
    /// A value has an unknown length (`$?`, `*?`), which no released server sends.
    case streamedValue
    /// A line does not end with carriage return and line feed.
    case brokenLine
    /// A line is longer than the limit.
    case lineTooLong
    /// A length is not a decimal number, or is negative.
    case invalidLength
    /// The text of a number, a boolean or a null is malformed.
    case invalidScalar
    /// The bytes of a bulk string are not followed by a line's end.
    case unterminatedBulk
    /// The strings of one value have more bytes than the limit.
    case tooManyBytes
    /// One value has more elements than the limit, including those of inner values.
    case tooManyElements
    /// Values are nested more deeply than the limit.
    case tooDeep
    /// A push is nested in another value.
    case nestedPush
    /// A verbatim text does not begin with a format.
    case invalidVerbatim
    /// An answer arrived although no command waits for one.
    case unexpectedAnswer
    /// A push lacks a required part.
    case invalidPush
    /// The answer to `HELLO` or `ROLE` is malformed.
    case invalidHandshake
}

extension RedisViolation: CustomStringConvertible {
    /// The violation as a sentence, which never contains received data.
    package var description: String {
        switch self {
        case .unknownType(let byte):
            "The server sent a value of the type \(byte), which RESP3 does not have. Check whether it is a Redis server."
        case .streamedValue: "Redis sent a value without a length."
        case .brokenLine: "Redis sent a line that does not end with CR LF."
        case .lineTooLong: "Redis sent a line that is longer than the client's limit."
        case .invalidLength: "Redis sent a length that is not a number, or is negative."
        case .invalidScalar: "Redis sent a malformed number, boolean or null."
        case .unterminatedBulk: "Redis sent a string that does not end with CR LF."
        case .tooManyBytes: "Redis sent an answer with more bytes than the client's limit."
        case .tooManyElements: "Redis sent an answer with more elements than the client's limit."
        case .tooDeep: "Redis sent an answer that is nested more deeply than the client's limit."
        case .nestedPush: "Redis sent a push message inside another value."
        case .invalidVerbatim: "Redis sent a verbatim string without a format."
        case .unexpectedAnswer: "Redis sent an answer although no command waits for one."
        case .invalidPush: "Redis sent a malformed push message."
        case .invalidHandshake: "Redis sent a malformed answer to HELLO or ROLE."
        }
    }
}

/// The limits for data that a server sends.
package struct RedisLimits: Hashable, Sendable {
    /// The largest length of a line in bytes, without its end.
    package var line: Int
    /// The largest number of bytes of all strings in one value.
    package var bytes: Int
    /// The largest number of elements of one value, including those of inner values; an entry of a map counts as two.
    package var elements: Int
    /// The largest depth of nested values.
    package var depth: Int

    package init(line: Int = 65_536, bytes: Int = 67_108_864, elements: Int = 1_048_576, depth: Int = 32) {
        self.line = line
        self.bytes = bytes
        self.elements = elements
        self.depth = depth
    }
}
