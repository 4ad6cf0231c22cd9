/// The size of one application's histories, and how often clients with recovery have subscribed.
package struct RecoveryTally: Hashable, Sendable {
    /// The number of channels with a history.
    package private(set) var channels = 0
    /// The number of stored events.
    package private(set) var events = 0
    /// The approximate memory of all histories, in bytes.
    package private(set) var bytes = 0
    /// The part of ``bytes`` that histories take without their events.
    package private(set) var channelBytes = 0
    /// The number of subscriptions that requested missed events and got all of them.
    package private(set) var complete = 0
    /// The number of subscriptions that requested missed events and may not have got all of them.
    package private(set) var incomplete = 0

    /// The approximate memory, in bytes, of a channel's history without events.
    static func cost(of channel: ChannelID) -> Int { ChannelHistory.overhead + channel.name.utf8.count }

    mutating func add(_ channel: ChannelID) {
        channels += 1
        bytes += Self.cost(of: channel)
        channelBytes += Self.cost(of: channel)
    }

    mutating func remove(_ channel: ChannelID) {
        channels -= 1
        bytes -= Self.cost(of: channel)
        channelBytes -= Self.cost(of: channel)
    }

    mutating func add(_ event: PositionedEvent) {
        events += 1
        bytes += event.memory
    }

    mutating func remove(_ event: PositionedEvent) {
        events -= 1
        bytes -= event.memory
    }

    mutating func count(_ replay: Replay) {
        switch replay.outcome.recovered {
        case true?: complete += 1
        case false?: incomplete += 1
        case nil: break
        }
    }

    static func += (left: inout RecoveryTally, right: RecoveryTally) {
        left.channels += right.channels
        left.events += right.events
        left.bytes += right.bytes
        left.channelBytes += right.channelBytes
        left.complete += right.complete
        left.incomplete += right.incomplete
    }
}
