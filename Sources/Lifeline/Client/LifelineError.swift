import ConnectionEngine

/// An error of the client: a code for programs and a sentence for people. It never holds secrets, tokens or payloads.
public struct LifelineError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of errors. More may be added: switch over it with a `default`.
    ///
    /// Failures of the connection have the names of status categories, such as `timeout`.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The code as a word, as in logs.
        public let rawValue: String

        /// A code by its word, also one that this version does not know.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// A connection's category as a code.
        public init(_ category: StatusCategory) {
            rawValue = category.rawValue
        }

        /// The same as ``rawValue``.
        public var description: String { rawValue }

        /// The service has no such feature.
        public static let unsupported = Code(rawValue: "unsupported")
        /// The payload cannot be decoded as the requested type.
        public static let undecodable = Code(rawValue: "undecodable")
        /// The value to publish cannot be encoded as JSON.
        public static let unencodable = Code(rawValue: "unencodable")
        /// The call needs a subscription that the channel does not have.
        public static let notSubscribed = Code(rawValue: "notSubscribed")
        /// There is no connection: it was ended on request, or `connect` was never called.
        public static let disconnected = Code(.disconnected)
        /// No answer in time.
        public static let timeout = Code(.timeout)
        /// The calling task was cancelled.
        public static let cancelled = Code(.cancelled)
        /// The service refuses this client; connecting again with the same settings would fail too.
        public static let refused = Code(.refused)
        /// The authorisation was refused.
        public static let accessDenied = Code(.accessDenied)
        /// Arguments are invalid; the client or the service refused them.
        public static let badRequest = Code(.badRequest)
        /// A message could not be decrypted: the key is wrong or has changed.
        public static let decryptionFailed = Code(.decryptionFailed)
        /// The service cannot be reached: no route, the name cannot be resolved, or the connection was refused or reset.
        public static let networkUnavailable = Code(.networkUnavailable)
        /// An ``Outbox`` has no room for the message.
        public static let outboxFull = Code(rawValue: "outboxFull")
        /// The file of an ``Outbox`` cannot be read or written.
        public static let storageFailed = Code(rawValue: "storageFailed")
        /// The file of an ``Outbox`` is open already, here or in another process.
        public static let storageLocked = Code(rawValue: "storageLocked")
    }

    /// The kind of error.
    public var code: Code
    /// A sentence: what happened and, if possible, what to do next.
    public var reason: String
    /// The service's own number, such as a close code or an HTTP status; nil when there is none.
    public var number: Int?
    /// How long the service asked to wait before the next attempt; nil when it did not.
    public var retryAfter: Duration?
    /// For ``Code/unsupported``: the missing feature.
    public var feature: String?
    /// For ``Code/unsupported``: the name of the service that lacks the feature.
    public var service: String?

    /// An error, such as one that your own authorisation code throws.
    public init(_ code: Code, _ reason: String, number: Int? = nil) {
        self.code = code
        self.reason = reason
        self.number = number
    }

    /// The error of a feature that `service` does not have.
    public static func unsupported(feature: String, service: String) -> LifelineError {
        var error = LifelineError(.unsupported, "\(service) has no \(feature).")
        error.feature = feature
        error.service = service
        return error
    }

    /// The error for a text that is not an id of this service.
    static let notAnID = LifelineError(
        .badRequest, "The position in the history is not a message id of this service.")

    init(_ failure: ConnectionFailure) {
        self.init(Code(failure.category), failure.reason, number: failure.code)
        retryAfter = failure.retryAfter
    }

    /// One line: the code, the number and the reason.
    public var description: String {
        number.map { "\(code) (\($0)): \(reason)" } ?? "\(code): \(reason)"
    }
}
