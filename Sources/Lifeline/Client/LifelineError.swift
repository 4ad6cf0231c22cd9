import ConnectionEngine

/// What a call of a client failed with: a code to decide by and a sentence to read.
///
/// Never holds secrets, tokens or payloads.
public struct LifelineError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure it is. An open set: switch over it with a `default`.
    ///
    /// A failure of the connection keeps the name of its ``StatusCategory``.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The word for it, as in logs.
        public let rawValue: String

        /// One that this version may not know.
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
        /// The payload cannot be decoded as the type that was asked for.
        public static let undecodable = Code(rawValue: "undecodable")
        /// The value to publish cannot be encoded as JSON.
        public static let unencodable = Code(rawValue: "unencodable")
        /// The channel has no subscription that this needs.
        public static let notSubscribed = Code(rawValue: "notSubscribed")
        /// The connection was ended on request, or never begun.
        public static let disconnected = Code(.disconnected)
        /// No answer in time.
        public static let timeout = Code(.timeout)
        /// The calling task was cancelled.
        public static let cancelled = Code(.cancelled)
        /// The service refuses this client as it is.
        public static let refused = Code(.refused)
        /// Authorisation refused.
        public static let accessDenied = Code(.accessDenied)
        /// Arguments refused, here or by the service.
        public static let badRequest = Code(.badRequest)
        /// A message could not be decrypted: the key is wrong or has changed.
        public static let decryptionFailed = Code(.decryptionFailed)
        /// No route, no name, refused or reset.
        public static let networkUnavailable = Code(.networkUnavailable)
    }

    /// What kind of failure it is: to decide by.
    public var code: Code
    /// A sentence for people: what happened and, where it helps, what to do next.
    public var reason: String
    /// The service's own number: a close code or an HTTP status.
    public var number: Int?
    /// For ``Code/unsupported``: what is missing.
    public var feature: String?
    /// For ``Code/unsupported``: which service lacks it.
    public var service: String?

    /// An error, such as for code of your own that authorises.
    public init(_ code: Code, _ reason: String, number: Int? = nil) {
        self.code = code
        self.reason = reason
        self.number = number
    }

    /// A feature that `service` lacks.
    public static func unsupported(feature: String, service: String) -> LifelineError {
        var error = LifelineError(.unsupported, "\(service) has no \(feature).")
        error.feature = feature
        error.service = service
        return error
    }

    /// Of another service, or of none.
    static let notAnID = LifelineError(
        .badRequest, "What the history is asked to end before is no id of a message of this service.")

    init(_ failure: ConnectionFailure) {
        self.init(Code(failure.category), failure.reason, number: failure.code)
    }

    /// One line for people: the code, the number and the reason.
    public var description: String {
        number.map { "\(code) (\($0)): \(reason)" } ?? "\(code): \(reason)"
    }
}
