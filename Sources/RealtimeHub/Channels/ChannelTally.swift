/// The channels of one application in numbers.
public struct ChannelTally: Hashable, Sendable {
    /// Channels with at least one subscription.
    public var channels = 0
    public var subscriptions = 0
    /// Distinct users of presence channels, once for each channel.
    public var members = 0

    public init() {}

    public static func += (left: inout ChannelTally, right: ChannelTally) {
        left.channels += right.channels
        left.subscriptions += right.subscriptions
        left.members += right.members
    }
}
