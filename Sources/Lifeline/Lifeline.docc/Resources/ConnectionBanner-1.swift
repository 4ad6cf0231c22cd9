import Lifeline

/// The line that the user sees; nil when there is nothing to say.
func banner(for status: ConnectionStatus) -> String? {
    switch status.phase {
    case .idle, .connected: nil
    case .connecting: "Connecting …"
    case .waiting: "Connection lost. The next attempt starts soon."
    case .suspended: status.category == .background ? "Paused." : "No network."
    case .disconnecting, .disconnected: "Offline."
    case .failed: "Offline."
    }
}
