import ConnectionEngine
import HTTPTransport
import WireCoding

/// The error of a failed call: a code for programs and a sentence for people. Never contains secrets, tokens or payloads.
public struct BackendError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of errors. More may be added: switch over a code with a `default`.
    ///
    /// Codes of network failures have the names of the clients' status categories, such as `timeout`.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The code's identifier, such as `timeout`; it also appears in logs.
        public let rawValue: String

        /// Makes a code from its identifier. An identifier that this version does not define is accepted.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The code as text: its ``rawValue``.
        public var description: String { rawValue }

        /// An argument is invalid; nothing was sent, or the service answered with 400.
        public static let badRequest = Code(rawValue: "badRequest")
        /// The value to send cannot be encoded as JSON.
        public static let unencodable = Code(rawValue: "unencodable")
        /// The service refuses the key, the secret or the clock of this machine: status 401 or 403.
        public static let accessDenied = Code(rawValue: "accessDenied")
        /// The service does not have the object that the call names: status 404.
        public static let notFound = Code(rawValue: "notFound")
        /// The payload exceeds the service's limit: status 413.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// The caller has made too many calls: status 429.
        public static let overloaded = Code(rawValue: "overloaded")
        /// The service failed: a status from 500.
        public static let serverError = Code(rawValue: "serverError")
        /// The answer is not in the service's format; it may come from an intermediary.
        public static let malformedResponse = Code(rawValue: "malformedResponse")
        /// The service did not answer within the time limit.
        public static let timeout = Code(rawValue: "timeout")
        /// The calling task was cancelled.
        public static let cancelled = Code(rawValue: "cancelled")
        /// The service cannot be reached over the network.
        public static let networkUnavailable = Code(rawValue: "networkUnavailable")
        /// A webhook request to this backend has no valid signature, or is too old.
        public static let signatureInvalid = Code(rawValue: "signatureInvalid")
    }

    /// The kind of error, such as ``Code/timeout``.
    public var code: Code
    /// A sentence for people: what happened and, if possible, what to do next.
    public var reason: String
    /// The HTTP status of the answer; nil when the failure was not an answer.
    public var status: Int?
    /// Whether the failed call may have taken effect, because its answer was lost or came from an intermediary between client and service.
    public var mayHaveTakenEffect: Bool

    /// Makes an error, such as for tests of your own code.
    public init(_ code: Code, _ reason: String, status: Int? = nil, mayHaveTakenEffect: Bool = false) {
        self.code = code
        self.reason = reason
        self.status = status
        self.mayHaveTakenEffect = mayHaveTakenEffect
    }

    /// The code, the status and the reason in one line.
    public var description: String {
        status.map { "\(code) (HTTP \($0)): \(reason)" } ?? "\(code): \(reason)"
    }
}

extension BackendError {
    init(_ failure: ConnectionFailure) {
        self.init(
            Code(rawValue: failure.category.rawValue), failure.reason, status: failure.httpStatus,
            // A request with the category `badRequest` could not be encoded, so it was never sent.
            mayHaveTakenEffect: !failure.precedesSending && failure.category != .badRequest)
    }

    /// Makes the error for a refused call. It contains at most 200 characters of the service's text, on one line: the error message in the
    /// answer's JSON if there is one, otherwise the beginning of the answer's body.
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
