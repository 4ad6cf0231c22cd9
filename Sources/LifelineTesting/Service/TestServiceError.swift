/// An error of a script: a step that cannot have its intended effect, or that does not end.
public struct TestServiceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error. An open set: switch over it with a `default`.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The code as a word.
        public let rawValue: String

        /// A code that this version may not know.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The same as ``rawValue``.
        public var description: String { rawValue }

        /// No client is connected.
        public static let nothingConnected = Code(rawValue: "nothingConnected")
        /// No client was ever subscribed to the channel.
        public static let notSubscribed = Code(rawValue: "notSubscribed")
        /// The clients' service does not have this feature.
        public static let wrongService = Code(rawValue: "wrongService")
        /// The value cannot be encoded as JSON.
        public static let unencodable = Code(rawValue: "unencodable")
        /// The user is on the channel already, or is not on it.
        public static let wrongMember = Code(rawValue: "wrongMember")
        /// Work of the app has not ended for 30 s.
        public static let stuck = Code(rawValue: "stuck")
        /// The condition that the test waits for has been false for 30 s.
        public static let neverHappened = Code(rawValue: "neverHappened")
    }

    /// The kind of error.
    public var code: Code
    /// The problem, and how to correct it.
    public var reason: String

    init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    /// The code and the reason, on one line.
    public var description: String { "\(code): \(reason)" }
}
