import ConnectionEngine

/// An event of a client, of any kind. For tools and logs; applications should use ``LifelineClient/statuses`` and the sequences of a
/// ``Room``.
public enum ClientEvent: Sendable {
    /// The connection changed its phase, or scheduled another attempt.
    case status(ConnectionStatus)
    /// The service confirmed the subscription of a channel. `isRenewal` is false the first time and true on each later connection.
    case subscribed(channel: String, isRenewal: Bool, at: Moment)
    /// The application has unsubscribed the channel.
    case unsubscribed(channel: String, at: Moment)
    /// A message of a subscribed channel was received.
    case message(Message)
    /// Messages of a subscribed channel may be missing at this position in the events.
    case gap(Gap)
    /// A member joined a subscribed channel, left it, or changed its data.
    case presence(PresenceChange, at: Moment)
    /// A failure that does not end the connection. `channel` is nil when the failure does not concern a channel.
    case problem(LifelineError, channel: String?, willRetry: Bool, at: Moment)
    /// An event that only one of the services has.
    case notice(ServiceNotice, at: Moment)
    /// The consumer was too slow. This number of messages, presence changes, notices and decryption failures was dropped at this position.
    /// The dropped events were published after `since`.
    case dropped(Int, since: Moment, at: Moment)
}
