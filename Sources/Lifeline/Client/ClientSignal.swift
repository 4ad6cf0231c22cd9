/// Connection events for the parts of a client other than its hub, on the thread that drives the engine.
enum ClientSignal: Sendable {
    /// The connection's phase has changed; the adapter has the new one.
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
