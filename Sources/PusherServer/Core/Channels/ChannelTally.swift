/// The counts of one application's channels.
public struct ChannelTally: Hashable, Sendable {
    /// Channels with at least one subscription.
    public var channels = 0
    /// The number of subscriptions.
    public var subscriptions = 0
    /// The number of distinct users of presence channels, counted once for each channel.
    public var members = 0

    /// An empty value.
    public init() {}

    /// Adds the counts of another part of the hub.
    public static func += (left: inout ChannelTally, right: ChannelTally) {
        left.channels += right.channels
        left.subscriptions += right.subscriptions
        left.members += right.members
    }
}
