/// Why a connection, an attempt or a request failed: a category, a sentence, and the details of the transport.
///
/// A failure never contains secrets, tokens or payloads; `reason` is safe to log.
public struct ConnectionFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// Whether the client's side or the server caused a failure, which determines how soon the first retry starts.
    public enum Origin: Hashable, Sendable {
        /// The network or this machine caused the failure. Only this client is affected, so it may retry soon.
        case local
        /// The server caused the failure. All its clients may be affected, so their retries are spread over a longer time.
        case server
    }

    /// The kind of failure, which determines whether and when the client retries.
    public var category: StatusCategory
    /// A sentence for people that describes the failure, at most a few hundred characters.
    public var reason: String
    /// Whether the client's side or the server caused the failure.
    public var origin: Origin
    /// The status of the HTTP answer that reported the failure; nil if there was no HTTP answer.
    public var httpStatus: Int?
    /// The code of the peer's WebSocket close frame; nil if there was none.
    public var closeCode: Int?
    /// The operating system's error number (`errno`); nil if the system reported no error.
    public var errno: Int32?
    /// The TLS library's explanation, such as the name of an alert; nil if TLS did not fail.
    public var tlsAlert: String?
    /// The pause that the server requested with `Retry-After`; nil if it requested none.
    public var retryAfter: Duration?
    /// Whether the request failed before any byte of it was sent, so that it cannot have taken effect.
    ///
    /// False when this is not certain. The operating system's error number is no proof: an error such as the loss of a route can also end a
    /// connection on which the request was already sent (rule HT-38).
    public var precedesSending: Bool

    /// Creates a failure, for example in tests of your own code.
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

    /// The WebSocket close code or, without one, the HTTP status; nil if the failure has neither.
    public var code: Int? { closeCode ?? httpStatus }

    public var description: String {
        var text = "\(category): \(reason)"
        if let closeCode { text += " (close code \(closeCode))" }
        if let httpStatus { text += " (HTTP \(httpStatus))" }
        if let errno { text += " (errno \(errno))" }
        if let tlsAlert { text += " (TLS: \(tlsAlert))" }
        return text
    }

    /// A user requested the end of the connection.
    public static let disconnectedOnRequest = ConnectionFailure(.disconnected, "The connection was closed on request.")
    /// The caller of a request stopped waiting for its answer.
    public static let cancelledByCaller = ConnectionFailure(.cancelled, "The caller stopped waiting for the request's answer.")
    /// The caller of a request stopped waiting before the request was sent, so it will never be sent.
    public static let withdrawnByCaller = ConnectionFailure(
        .cancelled, "The caller cancelled the request before it was sent.", precedesSending: true)
}
