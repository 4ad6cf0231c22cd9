import Lifeline

/// The text of the banner; nil while the connection works and the banner is hidden.
func banner(for status: ConnectionStatus) -> String? {
    switch status.phase {
    case .idle, .connected: nil
    case .connecting: status.attempt == 0 ? "Connecting …" : "Connecting again …"
    case .waiting: "Connection lost. Next attempt in \(seconds(status.retryIn)) s."
    case .suspended: status.category == .background ? "Paused." : "No network. The app connects when a network is available."
    case .disconnecting, .disconnected: "Disconnected at your request."
    case .failed: status.cause.map { "Offline: \($0.reason)" } ?? "Offline."
    }
}

private func seconds(_ duration: Duration?) -> Int64 {
    max(1, duration?.components.seconds ?? 1)
}
