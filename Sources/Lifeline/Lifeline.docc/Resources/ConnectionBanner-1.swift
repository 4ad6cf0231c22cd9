import Lifeline

/// The text of the banner; nil while the connection works and the banner is hidden.
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
