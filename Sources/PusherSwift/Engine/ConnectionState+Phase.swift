import ConnectionEngine

extension ConnectionState {
    /// The connection state of PusherSwift after a change of phase. The only place with this mapping (rule PA-10).
    ///
    /// A lost link leads to the states `connected`, `reconnecting`, `connecting`, `connected`; `disconnected` means that no further
    /// attempt is made.
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
