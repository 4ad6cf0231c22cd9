/// The status of the connection. The numbers are those of the vendor's SDK (rule NC-10).
#if canImport(ObjectiveC)
    @objc(NCConnectionStatus)
#endif
public enum NCConnectionStatus: Int, CaseIterable, Sendable {
    /// A condition without a separate status. The library reconnects automatically.
    case unknown = -1
    /// Connected.
    case connected = 0
    /// There is no network, or the server cannot be reached. The library reconnects automatically.
    case networkUnavailable = 1
    /// The user signed in on another device of the same class, which ended this session. The library does not reconnect.
    case kickedOfflineByOtherClient = 6
    /// An attempt to connect is in progress.
    case connecting = 10
    /// Not connected: `connect` was not called yet, or the server refused for a reason without a separate status. The library does not
    /// reconnect.
    case unconnected = 11
    /// Signed out on request.
    case signOut = 12
    /// The link was lost or the application is in the background. The library reconnects automatically.
    case suspend = 13
    /// There was no connection within ``ConnectParams/timeout``. The library does not reconnect.
    case timeout = 14
    /// The token is wrong or has expired. The library does not reconnect until `connect` is called with another token.
    case tokenIncorrect = 15
    /// The user is banned. The library does not reconnect.
    case disconnException = 16
    /// The proxy does not work. The library does not reconnect.
    case proxyUnavailable = 17
    /// The account was deleted or deactivated. The library does not reconnect.
    case userAbandon = 19

    /// Whether the status stays until the next `connect`, because the library does not reconnect automatically.
    public var isTerminal: Bool {
        switch self {
        case .kickedOfflineByOtherClient, .unconnected, .signOut, .timeout, .tokenIncorrect, .disconnException, .proxyUnavailable,
            .userAbandon:
            true
        case .unknown, .connected, .networkUnavailable, .connecting, .suspend: false
        }
    }
}
