/// One row of a ``ChannelModel``'s list: a message, an unreadable message or a gap. Rule UI-3.
public struct ChannelRow<Value: Sendable>: Identifiable, Sendable {
    /// The kinds of rows, with their contents.
    public enum Content: Sendable {
        /// A message, decoded.
        case value(Value, Message)
        /// A message whose payload cannot be decoded as `Value`, for instance because a newer version of the app has sent it. The error
        /// names the path in the JSON.
        case undecodable(LifelineError, Message)
        /// A message that cannot be decrypted, with the error.
        case unreadable(LifelineError)
        /// Messages may be missing at this position. The gap is nil if the channel was unsubscribed for some time.
        case gap(Gap?)
    }

    /// The row's number. No other row of the model has the same number.
    public let id: Int
    /// The message, failure or gap that the row shows.
    public let content: Content

    /// The decoded value of a message; nil for every other row.
    public var value: Value? {
        if case .value(let value, _) = content { value } else { nil }
    }

    /// Whether the row is a gap: messages may be missing at its position.
    public var isGap: Bool {
        if case .gap = content { true } else { false }
    }
}

/// The state of a ``ChannelModel``'s subscription.
public enum ChannelPhase: Hashable, Sendable {
    /// ``ChannelModel/run()`` was not called, or has returned.
    case idle
    /// The subscription is not confirmed yet. The phase also lasts while the connection is down.
    case subscribing
    /// The channel is subscribed and messages arrive. An outage does not change this phase; the connection's status reports it.
    case live
    /// The service has refused the channel, at first or later. ``ChannelModel/run()`` has returned and may be called again.
    case failed(LifelineError)
}
