/// Connection events for outboxes, which have to know when messages can be sent. All other events go to the client's hub, which distributes
/// them to sequences. Sent on the thread that drives the connection engine.
enum ClientSignal: Sendable {
    /// The connection's phase has changed. Receivers read the new phase from the adapter.
    case connection
    /// The service has confirmed the subscription of a channel.
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
