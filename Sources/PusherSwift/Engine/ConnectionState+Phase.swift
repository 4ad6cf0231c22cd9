import ConnectionEngine

extension ConnectionState {
    /// The PusherSwift state after a change of the engine's phase (rule PA-10).
    ///
    /// After a loss the states are `reconnecting`, `connecting` and `connected`; `disconnected` means that no further attempt is made.
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
