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
    /// A cache channel's last message; nil when there is no such message, or when it has expired.
    package var cached: CachedMessage?
    /// The event loops with subscribers, including that of the new subscriber.
    package var audience: EventLoopSet
}

/// The reason why a subscription was refused.
package enum SubscribeRefusal: Error, Hashable, Sendable {
    /// The channel has reached its application's limit of distinct members.
    case tooManyMembers(limit: Int)
    /// The channel's member list would exceed the size that a new member can receive.
    case tooManyMemberBytes(limit: Int)
    /// The channel is a presence channel, but the subscription has no member.
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
    /// The event loops that still have subscribers of the channel. These subscribers have to be notified of the end.
    package var audience: EventLoopSet
}

/// The number of subscriptions to a channel, and of its users.
package struct ChannelOccupancy: Hashable, Sendable {
    /// The channel's name.
    package var name: String
    /// The number of subscriptions to the channel.
    package var subscriptions: Int
    /// The number of distinct users of a presence channel; nil for other channels.
    package var users: Int?

    /// Makes the value with the numbers of a channel's subscriptions and users; `users` is nil except for presence channels.
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
    /// The current number of subscriptions to the channel.
    package var subscriptions: Int
    /// The event loops with subscribers, to which the count has to be sent.
    package var audience: EventLoopSet
}
