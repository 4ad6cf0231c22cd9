/// The numbers of one application's channels, subscriptions and members.
package struct ChannelTally: Hashable, Sendable {
    /// The number of channels with at least one subscription.
    package var channels = 0
    /// The number of subscriptions to all channels.
    package var subscriptions = 0
    /// The number of distinct users of presence channels, counted once for each channel.
    package var members = 0

    /// An empty value.
    package init() {}

    /// Adds the numbers of the same application in another shard or partition.
    package static func += (left: inout ChannelTally, right: ChannelTally) {
        left.channels += right.channels
        left.subscriptions += right.subscriptions
        left.members += right.members
    }
}
