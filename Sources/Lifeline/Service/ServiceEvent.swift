import ConnectionEngine

/// What an adapter tells the hub, in the order in which it happened.
enum ServiceEvent: Sendable {
    case change(ConnectionChange)
    /// A channel was confirmed. `members` is nil when the channel has no presence.
    case subscribed(channel: String, members: [Member]?, isRenewal: Bool)
    case subscriptionFailed(channel: String, LifelineError, willRetry: Bool)
    case unsubscribed(channel: String)
    case message(Message)
    case gap(channel: String, since: Moment, Gap.Reason)
    /// Everybody who is there, in place of what was known.
    case present(channel: String, [Member])
    case joined(channel: String, Member)
    case left(channel: String, memberID: String)
    /// Somebody else types, or has stopped.
    case typing(channel: String, user: String, isTyping: Bool)
    /// Somebody, this client's user among them, has reacted to a message or taken it back.
    case reaction(channel: String, ReactionChange)
    case problem(LifelineError, channel: String?, willRetry: Bool = true)
    case notice(ServiceNotice)
}

extension ServiceEvent {
    var isTyping: Bool {
        if case .typing = self { true } else { false }
    }

    /// What a client's events tell of a renewal (rule LL-84).
    init<Value>(_ news: TokenSource<Value>.News) {
        switch news {
        case .renewed(_, let reason):
            self = .notice(ServiceNotice(.tokenRenewed, data: #"{"reason":"\#(reason.rawValue)"}"#))
        case .failed(let error): self = .problem(error, channel: nil)
        }
    }
}
