import ConnectionEngine

extension ConnectionState {
    /// The connection state of PusherSwift after a change of phase. This is the only place that decides it (rule PA-10).
    ///
    /// A lost link reads `connected`, `reconnecting`, `connecting`, `connected`; `disconnected` means that nothing will be tried.
    init(after change: ConnectionChange) {
        switch change.phase {
        case .connecting: self = .connecting
        case .connected: self = .connected
        case .waiting, .suspended: self = .reconnecting
        case .disconnecting: self = .disconnecting
        case .idle, .disconnected, .failed: self = .disconnected
        }
    }
}
