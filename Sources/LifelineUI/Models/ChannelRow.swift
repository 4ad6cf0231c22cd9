/// One row of a list of messages. Rule UI-3.
public struct ChannelRow<Value: Sendable>: Identifiable, Sendable {
    /// The content of a row.
    public enum Content: Sendable {
        /// A message, decoded.
        case value(Value, Message)
        /// A message whose payload cannot be decoded as `Value`, for instance of a newer version of the app. The error names the place
        /// in the JSON.
        case undecodable(LifelineError, Message)
        /// A message that cannot be decrypted.
        case unreadable(LifelineError)
        /// Messages may be missing here. Nil when the channel was not subscribed meanwhile.
        case gap(Gap?)
    }

    /// A number that no other row of the model has.
    public let id: Int
    /// The content of the row.
    public let content: Content

    /// The value of a message; nil for every other row.
    public var value: Value? {
        if case .value(let value, _) = content { value } else { nil }
    }

    /// Whether messages may be missing here.
    public var isGap: Bool {
        if case .gap = content { true } else { false }
    }
}

/// The state of a ``ChannelModel``.
public enum ChannelPhase: Hashable, Sendable {
    /// ``ChannelModel/run()`` was not called, or has returned.
    case idle
    /// The subscription is not confirmed yet, also while the connection is down.
    case subscribing
    /// Messages arrive. Also during an outage, which the connection's status reports.
    case live
    /// The channel was refused, at first or later. ``ChannelModel/run()`` has returned and may be called again.
    case failed(LifelineError)
}
