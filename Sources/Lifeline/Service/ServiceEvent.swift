import ConnectionEngine

/// An adapter's event for the hub, in the order in which it happened.
enum ServiceEvent: Sendable {
    case change(ConnectionChange)
    /// A channel was confirmed. `members` is nil when the channel has no presence.
    case subscribed(channel: String, members: [Member]?, isRenewal: Bool)
    case subscriptionFailed(channel: String, LifelineError, willRetry: Bool)
    case unsubscribed(channel: String)
    case message(Message)
    case gap(channel: String, since: Moment, Gap.Reason)
    /// The complete list of members, which replaces the known one.
    case present(channel: String, [Member])
    case joined(channel: String, Member)
    case left(channel: String, memberID: String)
    /// Another user has begun or stopped typing.
    case typing(channel: String, user: String, isTyping: Bool)
    /// A user, who may be this client's own, has added or removed a reaction to a message.
    case reaction(channel: String, ReactionChange)
    case problem(LifelineError, channel: String?, willRetry: Bool = true)
    case notice(ServiceNotice)
}

extension ServiceEvent {
    var isTyping: Bool {
        if case .typing = self { true } else { false }
    }

    /// The event for the renewal of a token (rule LL-84).
    init<Value>(_ news: TokenSource<Value>.News) {
        switch news {
        case .renewed(_, let reason):
            self = .notice(ServiceNotice(.tokenRenewed, data: #"{"reason":"\#(reason.rawValue)"}"#))
        case .failed(let error): self = .problem(error, channel: nil)
        }
    }
}
