/// The status of the connection. The raw values are those of the vendor's SDK (rule NC-10).
#if canImport(ObjectiveC)
    @objc(NCConnectionStatus)
#endif
public enum NCConnectionStatus: Int, CaseIterable, Sendable {
    /// The connection failed for a reason without a status of its own. The library reconnects automatically.
    case unknown = -1
    /// Connected.
    case connected = 0
    /// There is no network, or the server cannot be reached. The library reconnects automatically.
    case networkUnavailable = 1
    /// The user signed in on another device of the same class, which ended this session. The library does not reconnect.
    case kickedOfflineByOtherClient = 6
    /// An attempt to connect is in progress.
    case connecting = 10
    /// There is no connection: `connect` was not called yet, or the server refused the connection for a reason that has no status of its
    /// own. The library does not reconnect.
    case unconnected = 11
    /// The application has signed the user out.
    case signOut = 12
    /// The connection was lost, or the application is in the background. The library reconnects automatically.
    case suspend = 13
    /// The client did not connect within ``ConnectParams/timeout``. The library does not reconnect.
    case timeout = 14
    /// The token is wrong or has expired. The library does not reconnect until `connect` is called with another token.
    case tokenIncorrect = 15
    /// The user is banned. The library does not reconnect.
    case disconnException = 16
    /// The proxy does not work. The library does not reconnect.
    case proxyUnavailable = 17
    /// The account was deleted or deactivated. The library does not reconnect.
    case userAbandon = 19

    /// Whether this status stays until the next `connect`, because the library does not reconnect automatically.
    public var isTerminal: Bool {
        switch self {
        case .kickedOfflineByOtherClient, .unconnected, .signOut, .timeout, .tokenIncorrect, .disconnException, .proxyUnavailable,
            .userAbandon:
            true
        case .unknown, .connected, .networkUnavailable, .connecting, .suspend: false
        }
    }
}
