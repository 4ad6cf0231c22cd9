import ConnectionEngine

/// The vendor's numbers for the states of a connection (rules NP-1 to NP-4). All status numbers are derived here.
///
/// The numbers are those of the vendor's `NCConnectionStatus`; 18 is not in use.
public enum ChatStatusCode: Int, CaseIterable, Hashable, Sendable {
    case unknown = -1
    case connected = 0
    case networkUnavailable = 1
    case kickedOfflineByOtherClient = 6
    case connecting = 10
    case unconnected = 11
    case signOut = 12
    case suspend = 13
    case timeout = 14
    case tokenIncorrect = 15
    case disconnException = 16
    case proxyUnavailable = 17
    case userAbandon = 19

    /// The status for a change of the connection's phase. Two consecutive changes may have the same status, which is then reported once.
    public init(change: ConnectionChange) {
        switch change.phase {
        case .idle: self = .unconnected
        case .connecting: self = .connecting
        case .connected: self = .connected
        case .disconnecting, .disconnected: self = .signOut
        case .suspended: self = change.category == .background ? .suspend : .networkUnavailable
        case .waiting: self = Self.waiting(change)
        case .failed: self = Self.failed(change.category)
        }
    }

    /// Whether the client makes no further attempt until the application calls connect.
    public var isFinal: Bool {
        switch self {
        case .unknown, .connected, .networkUnavailable, .connecting, .suspend: false
        case .kickedOfflineByOtherClient, .unconnected, .signOut, .timeout, .tokenIncorrect, .disconnException,
            .proxyUnavailable, .userAbandon:
            true
        }
    }

    /// The vendor's name of the status.
    public var name: String {
        switch self {
        case .unknown: "unknown"
        case .connected: "connected"
        case .networkUnavailable: "networkUnavailable"
        case .kickedOfflineByOtherClient: "kickedOfflineByOtherClient"
        case .connecting: "connecting"
        case .unconnected: "unconnected"
        case .signOut: "signOut"
        case .suspend: "suspend"
        case .timeout: "timeout"
        case .tokenIncorrect: "tokenIncorrect"
        case .disconnException: "disconnException"
        case .proxyUnavailable: "proxyUnavailable"
        case .userAbandon: "userAbandon"
        }
    }

    /// The status during a pause before the next attempt.
    private static func waiting(_ change: ConnectionChange) -> Self {
        switch change.category {
        case .networkUnavailable, .tlsFailed, .tlsUntrusted: .networkUnavailable
        // A lost connection is reported as `suspend`. After a failed attempt the status stays `connecting`.
        case .unexpectedDisconnect, .timeout: change.previous == .connected ? .suspend : .connecting
        case .unknown: .unknown
        default: .connecting
        }
    }

    private static func failed(_ category: StatusCategory) -> Self {
        switch category {
        case .kicked: .kickedOfflineByOtherClient
        case .timeout: .timeout
        case .credentialsRejected: .tokenIncorrect
        case .banned: .disconnException
        case .proxyUnavailable: .proxyUnavailable
        case .accountDeleted: .userAbandon
        default: .unconnected
        }
    }
}
