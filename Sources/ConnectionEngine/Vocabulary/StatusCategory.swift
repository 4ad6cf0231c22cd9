/// The kind of a status or failure; all services share these categories.
///
/// Later versions may add categories, so a `switch` needs a `default`. `docs/behaviour.md` lists the statuses of each service by category.
public struct StatusCategory: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public var description: String { rawValue }

    /// The client is connecting because a user requested it.
    public static let connecting = StatusCategory(rawValue: "connecting")
    /// The service confirmed the connection.
    public static let connected = StatusCategory(rawValue: "connected")
    /// The service confirmed the connection again after an unexpected loss.
    public static let reconnected = StatusCategory(rawValue: "reconnected")
    /// The connection was closed on request.
    public static let disconnected = StatusCategory(rawValue: "disconnected")
    /// A working connection was lost.
    public static let unexpectedDisconnect = StatusCategory(rawValue: "unexpectedDisconnect")
    /// The network failed while connecting: no route, an unknown host name, or a refused or reset connection.
    public static let networkUnavailable = StatusCategory(rawValue: "networkUnavailable")
    /// The application is in the background; the connection is closed until the application returns.
    public static let background = StatusCategory(rawValue: "background")
    /// An answer or heartbeat did not arrive within its time limit.
    public static let timeout = StatusCategory(rawValue: "timeout")
    /// The TLS handshake failed.
    public static let tlsFailed = StatusCategory(rawValue: "tlsFailed")
    /// The chain, name or date of the server's certificate was not accepted.
    public static let tlsUntrusted = StatusCategory(rawValue: "tlsUntrusted")
    /// A proxy refused the connection, or requires credentials.
    public static let proxyUnavailable = StatusCategory(rawValue: "proxyUnavailable")
    /// The answer does not follow the protocol: it is from a captive portal, or it is HTML, invalid JSON or an invalid frame.
    public static let malformedResponse = StatusCategory(rawValue: "malformedResponse")
    /// The client or the server refused the arguments of a request.
    public static let badRequest = StatusCategory(rawValue: "badRequest")
    /// The request line is too long for the server.
    public static let requestTooLong = StatusCategory(rawValue: "requestTooLong")
    /// The server cannot parse the filter expression.
    public static let malformedFilter = StatusCategory(rawValue: "malformedFilter")
    /// The service refused to authorise the user for a channel or an action.
    public static let accessDenied = StatusCategory(rawValue: "accessDenied")
    /// A token is wrong or expired.
    public static let credentialsRejected = StatusCategory(rawValue: "credentialsRejected")
    /// The same user signed in on another device, which ended this connection.
    public static let kicked = StatusCategory(rawValue: "kicked")
    /// The user's account is blocked.
    public static let banned = StatusCategory(rawValue: "banned")
    /// The user's account no longer exists.
    public static let accountDeleted = StatusCategory(rawValue: "accountDeleted")
    /// The server refuses this client: the application is unknown or disabled, TLS is required, a quota is used up, or the protocol version
    /// is not supported.
    public static let refused = StatusCategory(rawValue: "refused")
    /// The server is over capacity and asks clients to reconnect later.
    public static let overloaded = StatusCategory(rawValue: "overloaded")
    /// The server is restarting, or moves its connections to another server.
    public static let serverRestart = StatusCategory(rawValue: "serverRestart")
    /// A message could not be decrypted.
    public static let decryptionFailed = StatusCategory(rawValue: "decryptionFailed")
    /// Messages may have been lost, because an answer had too many messages or the client did not process events fast enough.
    public static let messageCountExceeded = StatusCategory(rawValue: "messageCountExceeded")
    /// The caller cancelled its own request.
    public static let cancelled = StatusCategory(rawValue: "cancelled")
    /// The server answered in a way that no other category describes.
    public static let unknown = StatusCategory(rawValue: "unknown")
}
