import ConnectionEngine

/// An error of the client: a code for programs and a sentence for people. An error never contains secrets, tokens or payloads.
public struct LifelineError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of errors. More may be added: switch over a code with a `default`.
    ///
    /// Codes of connection failures have the names of status categories, such as `timeout`.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The code's identifier, such as `timeout`; it also appears in logs.
        public let rawValue: String

        /// Makes a code from its identifier. An identifier that this version does not define is accepted.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The code with the identifier of a connection failure's category.
        public init(_ category: StatusCategory) {
            rawValue = category.rawValue
        }

        /// The code as text: its ``rawValue``.
        public var description: String { rawValue }

        /// The service lacks the requested feature. See ``LifelineError/feature`` and ``LifelineError/service``.
        public static let unsupported = Code(rawValue: "unsupported")
        /// The payload cannot be decoded as the requested type.
        public static let undecodable = Code(rawValue: "undecodable")
        /// The value to publish cannot be encoded as JSON.
        public static let unencodable = Code(rawValue: "unencodable")
        /// The call needs a subscribed channel, and the channel is not subscribed.
        public static let notSubscribed = Code(rawValue: "notSubscribed")
        /// The client is not connected: the connection was ended on request, or `connect` was never called.
        public static let disconnected = Code(.disconnected)
        /// The service did not answer within the time limit.
        public static let timeout = Code(.timeout)
        /// The calling task was cancelled.
        public static let cancelled = Code(.cancelled)
        /// The service refuses this client for good: another attempt with the same settings would fail too.
        public static let refused = Code(.refused)
        /// The service or an authorisation endpoint denied access, for example to a channel.
        public static let accessDenied = Code(.accessDenied)
        /// An argument is invalid; the client or the service refused it.
        public static let badRequest = Code(.badRequest)
        /// A message could not be decrypted: the key is wrong or has changed.
        public static let decryptionFailed = Code(.decryptionFailed)
        /// The service cannot be reached: no route, the name cannot be resolved, or the connection was refused or reset.
        public static let networkUnavailable = Code(.networkUnavailable)
        /// An ``Outbox`` is full and cannot accept the message.
        public static let outboxFull = Code(rawValue: "outboxFull")
        /// The file of an ``Outbox`` cannot be read or written.
        public static let storageFailed = Code(rawValue: "storageFailed")
        /// The file of an ``Outbox`` is open already, in this process or in another one.
        public static let storageLocked = Code(rawValue: "storageLocked")
    }

    /// The kind of error, such as ``Code/timeout``.
    public var code: Code
    /// A sentence for people: what happened and, if possible, what to do next.
    public var reason: String
    /// A number that the service sent, such as a close code or an HTTP status; nil when the service sent none.
    public var number: Int?
    /// How long the service asked the client to wait before the next attempt; nil when it sent no such time.
    public var retryAfter: Duration?
    /// The missing feature; set only for ``Code/unsupported``.
    public var feature: String?
    /// The name of the service that lacks the feature; set only for ``Code/unsupported``.
    public var service: String?

    /// Makes an error, such as one that your own authorisation code throws.
    public init(_ code: Code, _ reason: String, number: Int? = nil) {
        self.code = code
        self.reason = reason
        self.number = number
    }

    /// Makes the error for a feature that `service` does not have.
    public static func unsupported(feature: String, service: String) -> LifelineError {
        var error = LifelineError(.unsupported, "\(service) has no \(feature).")
        error.feature = feature
        error.service = service
        return error
    }

    /// The error for a history position that is not a message id of the client's service.
    static let notAnID = LifelineError(
        .badRequest, "The history position is not a message id of this service. Pass the `id` of a received message.")

    init(_ failure: ConnectionFailure) {
        self.init(Code(failure.category), failure.reason, number: failure.code)
        retryAfter = failure.retryAfter
    }

    /// The code, the number and the reason in one line.
    public var description: String {
        number.map { "\(code) (\($0)): \(reason)" } ?? "\(code): \(reason)"
    }
}
