/// Why a connection, an attempt or a request failed: a category, a sentence, and what the transport knew.
///
/// Never holds secrets, tokens or payloads; `reason` is safe to log.
public struct ConnectionFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// Who caused the failure; decides how soon the first retry may come.
    public enum Origin: Hashable, Sendable {
        /// The network or this machine: only this client is affected, so it may come back quickly.
        case local
        /// The server: every client may be affected, so they come back spread out.
        case server
    }

    public var category: StatusCategory
    /// A sentence for people, at most a few hundred characters.
    public var reason: String
    public var origin: Origin
    /// The status of an HTTP answer, when that is what failed.
    public var httpStatus: Int?
    /// The code of the peer's WebSocket close frame.
    public var closeCode: Int?
    /// The system's error number.
    public var errno: Int32?
    /// The TLS library's own words, such as an alert name.
    public var tlsAlert: String?
    /// How long the server asked to wait.
    public var retryAfter: Duration?

    public init(
        _ category: StatusCategory, _ reason: String, origin: Origin = .local, httpStatus: Int? = nil, closeCode: Int? = nil,
        errno: Int32? = nil, tlsAlert: String? = nil, retryAfter: Duration? = nil
    ) {
        self.category = category
        self.reason = reason
        self.origin = origin
        self.httpStatus = httpStatus
        self.closeCode = closeCode
        self.errno = errno
        self.tlsAlert = tlsAlert
        self.retryAfter = retryAfter
    }

    /// The close code or the HTTP status, whichever there is.
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
}
