/// The cause of a failed connection, attempt or request: a category, a sentence, and the details of the transport.
///
/// Never holds secrets, tokens or payloads; `reason` is safe to log.
public struct ConnectionFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// Where a failure was caused, which determines how soon the first retry starts.
    public enum Origin: Hashable, Sendable {
        /// The network or this machine. Only this client is affected, so it may retry soon.
        case local
        /// The server. Every client may be affected, so retries are spread over a longer time.
        case server
    }

    /// The kind of failure.
    public var category: StatusCategory
    /// A sentence for people, at most a few hundred characters.
    public var reason: String
    /// Where the failure was caused.
    public var origin: Origin
    /// The status of an HTTP answer, if the answer was the failure.
    public var httpStatus: Int?
    /// The code of the peer's WebSocket close frame.
    public var closeCode: Int?
    /// The system's error number.
    public var errno: Int32?
    /// The TLS library's explanation, such as the name of an alert.
    public var tlsAlert: String?
    /// The pause that the server asked for.
    public var retryAfter: Duration?
    /// Whether a request failed before any byte of it was sent, so that it cannot have taken effect. False when that is not known:
    /// error numbers do not show it, because the loss of a route ends established connections as well (rule HT-38).
    public var precedesSending: Bool

    /// A failure, such as for tests of your own code.
    public init(
        _ category: StatusCategory, _ reason: String, origin: Origin = .local, httpStatus: Int? = nil, closeCode: Int? = nil,
        errno: Int32? = nil, tlsAlert: String? = nil, retryAfter: Duration? = nil, precedesSending: Bool = false
    ) {
        self.category = category
        self.reason = reason
        self.origin = origin
        self.httpStatus = httpStatus
        self.closeCode = closeCode
        self.errno = errno
        self.tlsAlert = tlsAlert
        self.retryAfter = retryAfter
        self.precedesSending = precedesSending
    }

    /// The close code or the HTTP status, if there is one.
    public var code: Int? { closeCode ?? httpStatus }

    public var description: String {
        var text = "\(category): \(reason)"
        if let closeCode { text += " (close code \(closeCode))" }
        if let httpStatus { text += " (HTTP \(httpStatus))" }
        if let errno { text += " (errno \(errno))" }
        if let tlsAlert { text += " (TLS: \(tlsAlert))" }
        return text
    }

    /// The connection was ended on request.
    public static let disconnectedOnRequest = ConnectionFailure(.disconnected, "The connection was closed on request.")
    /// The caller stopped waiting.
    public static let cancelledByCaller = ConnectionFailure(.cancelled, "The caller stopped waiting for the answer.")
    /// The caller stopped waiting before the request was sent, so it will never be sent.
    public static let withdrawnByCaller = ConnectionFailure(
        .cancelled, "The caller cancelled the request before it was sent.", precedesSending: true)
}
