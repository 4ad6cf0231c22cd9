/// What parts of a client other than its hub learn about the connection, on the thread that drives the engine.
enum ClientSignal: Sendable {
    /// The connection has another phase; the adapter knows which.
    case connection
    /// A channel was confirmed.
    case subscribed(channel: String)

    init?(_ event: ServiceEvent) {
        switch event {
        case .change: self = .connection
        case .subscribed(let channel, _, _): self = .subscribed(channel: channel)
        case .subscriptionFailed, .unsubscribed, .message, .gap, .present, .joined, .left, .typing, .reaction, .problem, .notice:
            return nil
        }
    }
}
