import ServerValues

/// The result of a subscription, and the event loops to notify.
package struct SubscribeOutcome: Hashable, Sendable {
    /// Whether this is the channel's first subscription.
    package var becameOccupied: Bool
    /// The number of subscriptions to the channel, including this one.
    package var subscriptions: Int
    /// All members of a presence channel, including the new one.
    package var roster: PresenceRoster?
    /// The member that joined, of which the other members have to be notified. Set for the first connection of a user only.
    package var memberAdded: PresenceMember?
    /// A cache channel's last message; nil when there is none or it has expired.
    package var cached: CachedMessage?
    /// Event loops with subscribers, including the new one's.
    package var audience: EventLoopSet
}

/// The reason why the hub refused a subscription.
package enum SubscribeRefusal: Error, Hashable, Sendable {
    /// The channel has reached its application's limit of distinct members.
    case tooManyMembers(limit: Int)
    /// The channel's member list would exceed the size that a new member can receive.
    case tooManyMemberBytes(limit: Int)
    /// The channel has the presence trait, but the subscription has no member.
    case memberMissing
    /// The application has reached its limit of channels with subscribers, and the subscription would be to another channel.
    case tooManyChannels(limit: Int)
    /// The application has reached its limit of subscriptions of all connections.
    case tooManySubscriptions(limit: Int)
    /// The process that decides about subscriptions, the cluster's leader, cannot be reached.
    case unavailable
}

/// The result of the end of a subscription, and the event loops to notify.
package struct UnsubscribeOutcome: Hashable, Sendable {
    /// Whether the channel has no subscriptions any more.
    package var becameVacant: Bool
    /// Subscriptions that remain.
    package var subscriptions: Int
    /// The user who left, of whom the remaining members have to be notified. Set for the last connection of a user only.
    package var memberRemoved: String?
    /// Event loops that still have subscribers.
    package var audience: EventLoopSet
}

/// The number of subscriptions to a channel, and of its users.
package struct ChannelOccupancy: Hashable, Sendable {
    /// The channel's name.
    package var name: String
    /// How many subscriptions the channel has.
    package var subscriptions: Int
    /// The number of distinct users of a presence channel; nil for other channels.
    package var users: Int?

    /// Makes a value with these properties.
    package init(name: String, subscriptions: Int, users: Int? = nil) {
        self.name = name
        self.subscriptions = subscriptions
        self.users = users
    }
}

/// A delayed subscription count that has to be published now.
package struct CountDue: Hashable, Sendable {
    /// The channel.
    package var channel: ChannelID
    /// How many subscriptions the channel has.
    package var subscriptions: Int
    /// The event loops with subscribers.
    package var audience: EventLoopSet
}
