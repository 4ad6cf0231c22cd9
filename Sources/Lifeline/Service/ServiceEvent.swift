import ConnectionEngine

/// An event that an adapter reports to the client's hub, which distributes it to sequences. Events are reported in the order in which they
/// happened.
enum ServiceEvent: Sendable {
    case change(ConnectionChange)
    /// The service confirmed the subscription of a channel. `members` is nil when the channel has no presence.
    case subscribed(channel: String, members: [Member]?, isRenewal: Bool)
    case subscriptionFailed(channel: String, LifelineError, willRetry: Bool)
    case unsubscribed(channel: String)
    case message(Message)
    case gap(channel: String, since: Moment, Gap.Reason)
    /// The complete list of a channel's members, which replaces the previous list.
    case present(channel: String, [Member])
    case joined(channel: String, Member)
    case left(channel: String, memberID: String)
    /// Another user has begun typing in a channel, or has stopped.
    case typing(channel: String, user: String, isTyping: Bool)
    /// A user has added or removed a reaction to a message. The user may be this client's own.
    case reaction(channel: String, ReactionChange)
    case problem(LifelineError, channel: String?, willRetry: Bool = true)
    case notice(ServiceNotice)
}

extension ServiceEvent {
    var isTyping: Bool {
        if case .typing = self { true } else { false }
    }

    /// The event that reports a renewed token or a failed renewal (rule LL-84).
    init<Value>(_ news: TokenSource<Value>.News) {
        switch news {
        case .renewed(_, let reason):
            self = .notice(ServiceNotice(.tokenRenewed, data: #"{"reason":"\#(reason.rawValue)"}"#))
        case .failed(let error): self = .problem(error, channel: nil)
        }
    }
}
