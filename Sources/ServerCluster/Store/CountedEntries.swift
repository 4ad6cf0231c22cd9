/// Counts the messages that a leader has in the store and their bytes, and makes the writes that store these counts (rules CB-60 and
/// CC-43).
///
/// For each message, the store has a member of a sorted set, in the order of the messages, and a field of a map with the message's size.
/// These and the totals change in the same batch that adds or removes the message.
package struct CountedEntries: Hashable, Sendable {
    /// A stored message that is counted.
    package struct Entry: Hashable, Sendable {
        /// The message's member of the sorted set and its field name in the map of sizes.
        package var word: StoreWord
        /// The member's score: the time of the message in seconds. Members with the same second are sorted by name.
        package var second: Int64
        /// The value in the map of sizes, which contains the message's size.
        package var value: StoreWord
        package var bytes: Int

        package init(_ word: StoreWord, second: Int64, value: StoreWord, bytes: Int) {
            self.word = word
            self.second = second
            self.value = value
            self.bytes = bytes
        }
    }

    /// The generation of the leader that counts the messages, and the generation of the earlier leader whose stored totals this leader may
    /// continue.
    package struct Term: Hashable, Sendable {
        var generation: UInt64
        var former: UInt64?

        /// - Parameter former: the generation of the last leader that has stored anything.
        package init(generation: UInt64 = 0, former: UInt64? = nil) {
            (self.generation, self.former) = (generation, former)
        }
    }

    package struct Keys: Hashable, Sendable {
        /// The key of the totals: a text with messages, bytes and the generation of the leader that has counted them. It exists only if all
        /// messages are counted.
        package var totals: StoreKey
        /// A sorted set.
        package var order: StoreKey
        /// A map.
        package var sizes: StoreKey

        package init(totals: StoreKey, order: StoreKey, sizes: StoreKey) {
            self.totals = totals
            self.order = order
            self.sizes = sizes
        }

        /// The writes that remove the totals, the sorted set and the map of sizes.
        package var removal: [StoreWrite] { [.unset(totals), .remove([order, sizes])] }
    }

    package private(set) var messages = 0
    package private(set) var bytes = 0
    /// Whether all stored messages are counted, including those from before the counting began. Only then are the totals stored.
    package private(set) var isWhole = false
    /// The generation of the leader that counts the messages.
    private let generation: UInt64

    package init(_ term: Term) { generation = term.generation }

    /// Reads stored totals. The result is nil for a text of another format. It is also nil when a leader of a version that does not count
    /// messages has written to the store since the totals were stored.
    package init?(stored text: String, _ term: Term) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false).map { UInt64($0) }
        // in bounds: `parts` has three elements.
        guard parts.count == 3, let messages = parts[0].flatMap({ Int(exactly: $0) }),
            let bytes = parts[1].flatMap({ Int(exactly: $0) }),
            let counter = parts[2], counter == term.generation || counter == term.former,
            (0...Self.highest).contains(messages), (0...Self.highest).contains(bytes)
        else { return nil }
        (self.messages, self.bytes, isWhole) = (messages, bytes, true)
        generation = term.generation
    }

    /// Returns the writes that store the restored totals with this leader's generation, so that the next leader can continue them.
    package func taken(over keys: Keys) -> [StoreWrite] { written(keys) }

    /// The largest total of messages or of bytes that is accepted from the store, so that sums do not overflow (rule CR-42).
    private static let highest = Int.max / 4

    /// Counts added messages, and returns the writes that store the counts.
    package mutating func add(_ added: [Entry], _ keys: Keys) -> [StoreWrite] {
        guard !added.isEmpty else { return [] }
        for entry in added { count(1, entry.bytes) }
        return added.map { .rank(keys.order, $0.word, score: $0.second) }
            + [.put(keys.sizes, added.map { StoreField($0.word, $0.value) })] + written(keys)
    }

    /// Subtracts removed messages, and returns the writes that store the counts.
    ///
    /// - Parameter removed: the messages with their stored sizes; the size is nil for a message that is not counted.
    package mutating func remove(_ removed: [(word: StoreWord, bytes: Int?)], _ keys: Keys) -> [StoreWrite] {
        guard !removed.isEmpty else { return [] }
        for case let bytes? in removed.map(\.bytes) { count(-1, -min(bytes, Self.highest)) }
        let words = removed.map(\.word)
        return [.removeRanked(keys.order, words), .removeFields(keys.sizes, words)] + written(keys)
    }

    /// Corrects the counted bytes for messages whose sizes have changed, and returns the writes that store the new sizes and counts.
    package mutating func change(_ changed: [(entry: Entry, before: Int)], _ keys: Keys) -> [StoreWrite] {
        guard !changed.isEmpty else { return [] }
        for (entry, before) in changed {
            count(0, -min(before, Self.highest))
            count(0, entry.bytes)
        }
        return [.put(keys.sizes, changed.map { StoreField($0.entry.word, $0.entry.value) })] + written(keys)
    }

    /// Records that the messages that were stored before the counting began are now counted, and returns the writes that store the totals.
    package mutating func finish(_ keys: Keys) -> [StoreWrite] {
        isWhole = true
        return written(keys)
    }

    private mutating func count(_ messages: Int, _ bytes: Int) {
        self.messages = min(max(self.messages + messages, 0), Self.highest)
        self.bytes = min(max(self.bytes + min(bytes, Self.highest), 0), Self.highest)
    }

    private func written(_ keys: Keys) -> [StoreWrite] {
        isWhole ? [.set(keys.totals, .text("\(messages) \(bytes) \(generation)"))] : []
    }
}
