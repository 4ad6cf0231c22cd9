import ConnectionEngine

/// All events of a client in one order. For tools and logs; applications should use ``LifelineClient/statuses`` and the sequences
/// of a ``Room``.
public enum ClientEvent: Sendable {
    /// The connection changed its phase, or waits for another attempt.
    case status(ConnectionStatus)
    /// The service confirmed a channel: the first time, or again on a new connection.
    case subscribed(channel: String, isRenewal: Bool, at: Moment)
    /// The channel was unsubscribed on request.
    case unsubscribed(channel: String, at: Moment)
    /// A message of a subscribed channel.
    case message(Message)
    /// Messages of a subscribed channel may be missing here.
    case gap(Gap)
    /// A member came to a subscribed channel, left it, or has other data.
    case presence(PresenceChange, at: Moment)
    /// A failure that does not end the connection. `channel` is nil when it is not about a channel.
    case problem(LifelineError, channel: String?, willRetry: Bool, at: Moment)
    /// An event that only one service has.
    case notice(ServiceNotice, at: Moment)
    /// The consumer was too slow, and this number of messages, presence changes, notices and reports of undecryptable messages was
    /// dropped here. They were published after `since`.
    case dropped(Int, since: Moment, at: Moment)
}
