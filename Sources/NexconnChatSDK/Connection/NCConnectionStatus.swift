/// Where the connection is. The numbers are those of the vendor's SDK (seed, "NCConnectionStatus enum"; rule NC-10).
#if canImport(ObjectiveC)
    @objc(NCConnectionStatus)
#endif
public enum NCConnectionStatus: Int, CaseIterable, Sendable {
    /// Something that has no status of its own. The library goes on by itself.
    case unknown = -1
    /// Connected.
    case connected = 0
    /// There is no network, or no way to the server. The library connects again by itself when there is one.
    case networkUnavailable = 1
    /// The user signed in on another device, and this one was kicked. Nothing more is tried.
    case kickedOfflineByOtherClient = 6
    /// An attempt is under way.
    case connecting = 10
    /// Not connected: not asked to yet, or refused for a reason that has no status of its own. Nothing is tried.
    case unconnected = 11
    /// Signed out on request.
    case signOut = 12
    /// Suspended: the link was lost or the application is in the background. The library connects again by itself.
    case suspend = 13
    /// Not connected within the time that ``ConnectParams/timeout`` allowed. Nothing more is tried.
    case timeout = 14
    /// The token is wrong or has expired. Nothing is tried until ``NCEngine`` gets another one.
    case tokenIncorrect = 15
    /// The user is banned. Nothing more is tried.
    case disconnException = 16
    /// The proxy does not work. Nothing more is tried.
    case proxyUnavailable = 17
    /// The account was deleted or deactivated. Nothing more is tried.
    case userAbandon = 19

    /// Whether nothing more happens until the next `connect`.
    public var isTerminal: Bool {
        switch self {
        case .kickedOfflineByOtherClient, .unconnected, .signOut, .timeout, .tokenIncorrect, .disconnException, .proxyUnavailable,
            .userAbandon:
            true
        case .unknown, .connected, .networkUnavailable, .connecting, .suspend: false
        }
    }
}
