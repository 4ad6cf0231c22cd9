/// The channels of one application in numbers.
public struct ChannelTally: Hashable, Sendable {
    /// Channels with at least one subscription.
    public var channels = 0
    public var subscriptions = 0
    /// Distinct users of presence channels, once for each channel.
    public var members = 0
    /// Messages of the application's servers since the start, once for each channel.
    public var published = 0
    /// Messages that subscribers sent each other since the start.
    public var relayed = 0

    public init() {}

    public static func += (left: inout ChannelTally, right: ChannelTally) {
        left.channels += right.channels
        left.subscriptions += right.subscriptions
        left.members += right.members
        left.published += right.published
        left.relayed += right.relayed
    }
}
