import ConnectionEngine

/// Everything that a client hears, in the one order in which it happened. For tools and logs; applications are better served by
/// ``LifelineClient/statuses`` and by the sequences of a ``Room``.
public enum ClientEvent: Sendable {
    /// The connection is in another phase, or waits for another attempt.
    case status(ConnectionStatus)
    /// The service confirmed a channel: the first time, or again on a new connection.
    case subscribed(channel: String, isRenewal: Bool, at: Moment)
    /// The channel is not subscribed any more, because it was asked for.
    case unsubscribed(channel: String, at: Moment)
    /// A message of a subscribed channel.
    case message(Message)
    /// Messages of a subscribed channel may be missing here.
    case gap(Gap)
    /// Somebody came to a subscribed channel, left it, or has changed.
    case presence(PresenceChange, at: Moment)
    /// Something failed that leaves the connection alone. `channel` is nil when it concerns none.
    case problem(LifelineError, channel: String?, willRetry: Bool, at: Moment)
    /// What only this service tells.
    case notice(ServiceNotice, at: Moment)
    /// The consumer was too slow: so many messages and presence changes are missing here. They were published after `since`.
    case dropped(Int, since: Moment, at: Moment)
}
