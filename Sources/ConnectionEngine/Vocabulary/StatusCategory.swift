/// The kind of a status, the same for all services.
///
/// Later versions may add categories, so switch over it with a `default`. `docs/behaviour.md` lists the statuses of each service by
/// category.
public struct StatusCategory: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public var description: String { rawValue }

    /// A requested attempt is in progress.
    public static let connecting = StatusCategory(rawValue: "connecting")
    /// The service confirmed the connection.
    public static let connected = StatusCategory(rawValue: "connected")
    /// The service confirmed the connection again after an unexpected loss.
    public static let reconnected = StatusCategory(rawValue: "reconnected")
    /// The connection was ended on request.
    public static let disconnected = StatusCategory(rawValue: "disconnected")
    /// A live link was lost.
    public static let unexpectedDisconnect = StatusCategory(rawValue: "unexpectedDisconnect")
    /// The network failed while connecting: no route, an unknown name, or a refused or reset connection.
    public static let networkUnavailable = StatusCategory(rawValue: "networkUnavailable")
    /// The application is in the background; the connection was closed until it returns.
    public static let background = StatusCategory(rawValue: "background")
    /// An answer or heartbeat did not arrive in time.
    public static let timeout = StatusCategory(rawValue: "timeout")
    /// The TLS handshake failed.
    public static let tlsFailed = StatusCategory(rawValue: "tlsFailed")
    /// The certificate's chain, name or date was not accepted.
    public static let tlsUntrusted = StatusCategory(rawValue: "tlsUntrusted")
    /// A proxy refused the connection, or requires credentials.
    public static let proxyUnavailable = StatusCategory(rawValue: "proxyUnavailable")
    /// The answer does not follow the protocol: a captive portal, HTML, invalid JSON or invalid frames.
    public static let malformedResponse = StatusCategory(rawValue: "malformedResponse")
    /// The client or the server refused the arguments.
    public static let badRequest = StatusCategory(rawValue: "badRequest")
    /// The request line is too long for the server.
    public static let requestTooLong = StatusCategory(rawValue: "requestTooLong")
    /// The server cannot parse the filter expression.
    public static let malformedFilter = StatusCategory(rawValue: "malformedFilter")
    /// The authorisation was refused.
    public static let accessDenied = StatusCategory(rawValue: "accessDenied")
    /// A token is wrong or expired.
    public static let credentialsRejected = StatusCategory(rawValue: "credentialsRejected")
    /// The same user signed in elsewhere.
    public static let kicked = StatusCategory(rawValue: "kicked")
    /// The account is blocked.
    public static let banned = StatusCategory(rawValue: "banned")
    /// The account no longer exists.
    public static let accountDeleted = StatusCategory(rawValue: "accountDeleted")
    /// The server refuses this client: unknown or disabled application, TLS required, quota, protocol version.
    public static let refused = StatusCategory(rawValue: "refused")
    /// The server is over capacity and asks clients to reconnect later.
    public static let overloaded = StatusCategory(rawValue: "overloaded")
    /// The server restarts or moves its connections.
    public static let serverRestart = StatusCategory(rawValue: "serverRestart")
    /// A message could not be decrypted.
    public static let decryptionFailed = StatusCategory(rawValue: "decryptionFailed")
    /// Messages may have been lost while catching up.
    public static let messageCountExceeded = StatusCategory(rawValue: "messageCountExceeded")
    /// The caller cancelled its own request.
    public static let cancelled = StatusCategory(rawValue: "cancelled")
    /// Any other answer of the server.
    public static let unknown = StatusCategory(rawValue: "unknown")
}
