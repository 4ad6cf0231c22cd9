/// The result of a subscription, and who is to be notified.
public struct SubscribeOutcome: Hashable, Sendable {
    /// Whether this is the channel's first subscription.
    public var becameOccupied: Bool
    /// Subscriptions to the channel, this one included.
    public var subscriptions: Int
    /// All members of a presence channel, the new one included.
    public var roster: PresenceRoster?
    /// The member that joined, of whom all others are to be notified: set for the first connection of a user only.
    public var memberAdded: PresenceMember?
    /// A cache channel's last message, when there is one that has not expired.
    public var cached: CachedMessage?
    /// Event loops with subscribers, the new one's included.
    public var audience: EventLoopSet
}

/// The reason why the hub refused a subscription.
public enum SubscribeRefusal: Error, Hashable, Sendable {
    /// The channel has as many distinct members as its application allows.
    case tooManyMembers(limit: Int)
    /// The list of the channel's members would be larger than what a new member can be sent.
    case tooManyMemberBytes(limit: Int)
    /// The channel has the presence trait and the subscription brings no member.
    case memberMissing
    /// The application has as many occupied channels as it may have, and this would be another one.
    case tooManyChannels(limit: Int)
    /// All connections of the application together have as many subscriptions as they may have.
    case tooManySubscriptions(limit: Int)
    /// The process that decides about subscriptions cannot be reached.
    case unavailable
}

/// The result of the end of a subscription, and who is to be notified.
public struct UnsubscribeOutcome: Hashable, Sendable {
    /// Whether this was the channel's last subscription.
    public var becameVacant: Bool
    /// Subscriptions that remain.
    public var subscriptions: Int
    /// The user who left, of whom the remaining members are to be notified: set for the last connection of a user only.
    public var memberRemoved: String?
    /// Event loops that still have subscribers.
    public var audience: EventLoopSet
}

/// The occupancy of a channel.
public struct ChannelOccupancy: Hashable, Sendable {
    /// The channel's name.
    public var name: String
    /// How many subscriptions the channel has.
    public var subscriptions: Int
    /// Distinct users of a presence channel.
    public var users: Int?

    /// Makes a value with these properties.
    public init(name: String, subscriptions: Int, users: Int? = nil) {
        self.name = name
        self.subscriptions = subscriptions
        self.users = users
    }
}

/// A count of subscriptions that was held back and has to be announced now.
public struct CountDue: Hashable, Sendable {
    /// The channel.
    public var channel: ChannelID
    /// How many subscriptions the channel has.
    public var subscriptions: Int
    /// The event loops with subscribers.
    public var audience: EventLoopSet
}
