/// The channels of one application in numbers.
public struct ChannelTally: Hashable, Sendable {
    /// Channels with at least one subscription.
    public var channels = 0
    /// How many subscriptions the channel has.
    public var subscriptions = 0
    /// Distinct users of presence channels, once for each channel.
    public var members = 0

    /// An empty value.
    public init() {}

    /// Adds the numbers of another part of the channel.
    public static func += (left: inout ChannelTally, right: ChannelTally) {
        left.channels += right.channels
        left.subscriptions += right.subscriptions
        left.members += right.members
    }
}
