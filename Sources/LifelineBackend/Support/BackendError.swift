import ConnectionEngine
import HTTPTransport
import WireCoding

/// Why a call failed: a code for programs and a sentence for people. Never contains secrets, tokens or payloads.
public struct BackendError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of errors. More may be added: switch over it with a `default`.
    ///
    /// Failures of the network have the names of the clients' status categories, such as `timeout`.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The code as a word, as in logs.
        public let rawValue: String

        /// A code by its word, also one that this version does not know.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The same as ``rawValue``.
        public var description: String { rawValue }

        /// An argument is invalid; nothing was sent, or the service answered with 400.
        public static let badRequest = Code(rawValue: "badRequest")
        /// The value to send cannot be encoded as JSON.
        public static let unencodable = Code(rawValue: "unencodable")
        /// The service refuses the key, the secret or the clock of this machine: status 401 or 403.
        public static let accessDenied = Code(rawValue: "accessDenied")
        /// The service does not know the object that the call names: status 404.
        public static let notFound = Code(rawValue: "notFound")
        /// The payload exceeds the service's limit: status 413.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// The caller has made too many calls: status 429.
        public static let overloaded = Code(rawValue: "overloaded")
        /// The service failed: a status from 500.
        public static let serverError = Code(rawValue: "serverError")
        /// The answer is not one of the service.
        public static let malformedResponse = Code(rawValue: "malformedResponse")
        /// The service did not answer in time.
        public static let timeout = Code(rawValue: "timeout")
        /// The calling task was cancelled.
        public static let cancelled = Code(rawValue: "cancelled")
        /// The service cannot be reached.
        public static let networkUnavailable = Code(rawValue: "networkUnavailable")
        /// A request to this backend does not have the signature that it needs, or is too old.
        public static let signatureInvalid = Code(rawValue: "signatureInvalid")
    }

    /// The kind of error.
    public var code: Code
    /// A sentence: what happened and, if possible, what to do next.
    public var reason: String
    /// The status of the service's answer, if an answer was the failure.
    public var status: Int?
    /// Whether the call may have taken effect nevertheless, because its answer was lost or came from something between client and
    /// service.
    public var mayHaveTakenEffect: Bool

    /// An error, such as for tests of your own code.
    public init(_ code: Code, _ reason: String, status: Int? = nil, mayHaveTakenEffect: Bool = false) {
        self.code = code
        self.reason = reason
        self.status = status
        self.mayHaveTakenEffect = mayHaveTakenEffect
    }

    /// One line: the code, the status and the reason.
    public var description: String {
        status.map { "\(code) (HTTP \($0)): \(reason)" } ?? "\(code): \(reason)"
    }
}

extension BackendError {
    init(_ failure: ConnectionFailure) {
        self.init(
            Code(rawValue: failure.category.rawValue), failure.reason, status: failure.httpStatus,
            // A request that cannot be encoded is never sent.
            mayHaveTakenEffect: !failure.precedesSending && failure.category != .badRequest)
    }

    /// The service's own text is plain text or JSON; the error has at most 200 characters of it, on one line.
    init(_ answer: HTTPCallAnswer) {
        let json = try? JSONText(bytes: answer.body)
        let own = json?["errorMessage"]?.string ?? json?["error"]?["message"]?.string ?? json?["message"]?.string
        let words = (own ?? String(decoding: answer.body.prefix(200), as: UTF8.self)).prefix(200)
            .split(whereSeparator: { $0.isWhitespace || ($0.asciiValue ?? 0x20) < 0x20 }).joined(separator: " ")
        let code: Code =
            switch answer.status {
            case 401, 403: .accessDenied
            case 404: .notFound
            case 413: .tooLarge
            case 429: .overloaded
            case 500...: .serverError
            case 400..<500: .badRequest
            default: .malformedResponse
            }
        self.init(
            code, "The service answered with status \(answer.status): \(words)", status: answer.status,
            mayHaveTakenEffect: !(400..<500).contains(answer.status))
    }

    static func badRequest(_ reason: String) -> BackendError { BackendError(.badRequest, reason) }
}
