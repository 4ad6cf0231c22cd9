import DequeModule

/// The size of the cached messages of one application in one shard, and their order of arrival (rule HB-94).
struct CachedMessageOrder: Sendable {
    /// The approximate memory, in bytes, of a cached message without its texts: the channel's entries in tables and the strings' own
    /// storage.
    static let overhead = 256

    private struct Place: Sendable {
        var number: UInt64
        var bytes: Int
    }

    /// The channels with cached messages, oldest message first. An entry is valid only if its number is the channel's number in `places`;
    /// messages that were replaced or dropped leave old entries.
    private var order: Deque<(channel: ChannelID, number: UInt64)> = []
    private var places: [ChannelID: Place] = [:]
    private var lastNumber: UInt64 = 0
    private(set) var bytes = 0

    var isEmpty: Bool { places.isEmpty }

    /// Records that the channel has cached this message, in place of an earlier one.
    mutating func keep(_ channel: ChannelID, _ message: CachedMessage) {
        forget(channel)
        lastNumber += 1
        let size = Self.overhead + channel.name.utf8.count + message.event.utf8.count + message.data.utf8.count
        places[channel] = Place(number: lastNumber, bytes: size)
        bytes += size
        order.append((channel, lastNumber))
        guard order.count > 2 * places.count + 16 else { return }
        order.removeAll { places[$0.channel]?.number != $0.number }
    }

    mutating func forget(_ channel: ChannelID) {
        guard let place = places.removeValue(forKey: channel) else { return }
        bytes -= place.bytes
    }

    /// Removes and returns the channel with the oldest message; nil when there is none.
    mutating func takeOldest() -> ChannelID? {
        while let (channel, number) = order.popFirst() {
            guard places[channel]?.number == number else { continue }
            forget(channel)
            return channel
        }
        return nil
    }
}
