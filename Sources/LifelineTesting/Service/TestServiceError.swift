/// An error of a test's script: a step that cannot have its intended effect, or that does not end.
public struct TestServiceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of errors. More may be added: switch over a code with a `default`.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The code's identifier, such as `stuck`.
        public let rawValue: String

        /// Makes a code from its identifier. An identifier that this version does not define is accepted.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The code as text: its ``rawValue``.
        public var description: String { rawValue }

        /// No client is connected, so the step has no effect.
        public static let nothingConnected = Code(rawValue: "nothingConnected")
        /// No client was ever subscribed to the channel.
        public static let notSubscribed = Code(rawValue: "notSubscribed")
        /// The service of the connected clients does not have the requested feature.
        public static let wrongService = Code(rawValue: "wrongService")
        /// The value cannot be encoded as JSON.
        public static let unencodable = Code(rawValue: "unencodable")
        /// The user is on the channel already, or is not on it. Also for a reaction that exists already, or that does not exist.
        public static let wrongMember = Code(rawValue: "wrongMember")
        /// Work of the app has not ended for 30 s.
        public static let stuck = Code(rawValue: "stuck")
        /// The condition that the test waits for has been false for 30 s.
        public static let neverHappened = Code(rawValue: "neverHappened")
    }

    /// The kind of error, such as ``Code/stuck``.
    public var code: Code
    /// A sentence for people: the problem, and how to correct it.
    public var reason: String

    init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    /// The code and the reason, on one line.
    public var description: String { "\(code): \(reason)" }
}
