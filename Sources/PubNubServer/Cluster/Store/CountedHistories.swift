import Identifiers
import ServerCluster
import ServerStorage

/// The number and bytes of a keyset's stored messages, and the writes that keep them in the store (rule CB-60).
///
/// The store has for each message a member of a sorted set, in the order of timetokens, and its size in a map. Both and the totals change in
/// the batch that adds or removes the message.
struct CountedHistories: Hashable, Sendable {
    private(set) var messages = 0
    private(set) var bytes = 0
    /// Whether messages are counted that were stored before the counting began. The store has the totals only if they are.
    private(set) var isWhole = false

    init() {}

    /// The totals as the store has them; nil for a text of another form.
    init?(stored text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        // CR-42: sums with these numbers must not overflow.
        guard parts.count == 2, let messages = parts.first.flatMap({ Int($0) }), let bytes = parts.last.flatMap({ Int($0) }),
            (0...Self.highest).contains(messages), (0...Self.highest).contains(bytes)
        else { return nil }
        (self.messages, self.bytes, isWhole) = (messages, bytes, true)
    }

    private static let highest = Int.max / 2

    var usage: HistoryUsage { HistoryUsage(messages: messages, bytes: bytes) }

    /// The writes that remove everything that is stored about the counted messages of a keyset.
    static func removal(of keyset: Identifier, _ keys: RedisStreamKeys) -> [StoreWrite] {
        [.unset(keys.usage(keyset)), .remove([keys.order(keyset), keys.sizes(keyset)])]
    }

    /// Counts messages that are added.
    mutating func add(
        _ added: [(field: RedisMessageField, bytes: Int)], of keyset: Identifier, _ keys: RedisStreamKeys
    ) -> [StoreWrite] {
        guard !added.isEmpty else { return [] }
        messages = messages.clampedAdding(added.count)
        for message in added { bytes = bytes.clampedAdding(message.bytes) }
        let order = added.map { message in
            StoreWrite.rank(keys.order(keyset), message.field.word, score: message.field.second)
        }
        let sizes = added.map { StoreField($0.field.word, .text("\($0.bytes)")) }
        return order + [.put(keys.sizes(keyset), sizes)] + totals(of: keyset, keys)
    }

    /// Counts messages that are removed.
    ///
    /// - Parameter removed: the messages with the sizes that the store has of them; nil for one that is not counted (any more).
    mutating func remove(
        _ removed: [(field: RedisMessageField, bytes: Int?)], of keyset: Identifier, _ keys: RedisStreamKeys
    ) -> [StoreWrite] {
        guard !removed.isEmpty else { return [] }
        for case let bytes? in removed.map(\.bytes) {
            self.messages = max(messages - 1, 0)
            self.bytes = max(self.bytes - bytes, 0)
        }
        let words = removed.map(\.field.word)
        return [.removeRanked(keys.order(keyset), words), .removeFields(keys.sizes(keyset), words)] + totals(of: keyset, keys)
    }

    /// Ends the counting of messages that were stored before.
    mutating func finish(of keyset: Identifier, _ keys: RedisStreamKeys) -> [StoreWrite] {
        isWhole = true
        return totals(of: keyset, keys)
    }

    private func totals(of keyset: Identifier, _ keys: RedisStreamKeys) -> [StoreWrite] {
        isWhole ? [.set(keys.usage(keyset), .text("\(messages) \(bytes)"))] : []
    }
}

extension RedisMessageField {
    /// The score of the message in a sorted set. Members of one second are in the order of their names, which begin with the timetoken.
    var second: Int64 { Int64(clamping: timetoken / TimetokenClock.ticksPerSecond) }
}
