/// The number and bytes of messages that a leader keeps in the store, and the writes that keep both there (rules CB-60 and CC-43).
///
/// The store has for each message a member of a sorted set, in the order of the messages, and a field with its size in a map. Both and the
/// totals change in the batch that adds or removes the message.
package struct CountedEntries: Hashable, Sendable {
    /// A message that is counted.
    package struct Entry: Hashable, Sendable {
        /// The member of the sorted set and the name of the field.
        package var word: StoreWord
        /// The score of the member. Members of one second are in the order of their names.
        package var second: Int64
        /// The value of the field, with the size in it.
        package var value: StoreWord
        package var bytes: Int

        package init(_ word: StoreWord, second: Int64, value: StoreWord, bytes: Int) {
            self.word = word
            self.second = second
            self.value = value
            self.bytes = bytes
        }
    }

    /// Which leader counts, and whose totals it goes on with.
    package struct Term: Hashable, Sendable {
        var generation: UInt64
        var former: UInt64?

        /// - Parameter former: the generation of the last leader that has stored anything.
        package init(generation: UInt64 = 0, former: UInt64? = nil) {
            (self.generation, self.former) = (generation, former)
        }
    }

    package struct Keys: Hashable, Sendable {
        /// The totals as a text with the generation of the leader that has counted them, if all messages are counted.
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

        /// The writes that remove everything about counted messages.
        package var removal: [StoreWrite] { [.unset(totals), .remove([order, sizes])] }
    }

    package private(set) var messages = 0
    package private(set) var bytes = 0
    /// Whether the messages that were stored before the counting began are counted. The store has the totals only if they are.
    package private(set) var isWhole = false
    /// The leader that counts.
    private let generation: UInt64

    package init(_ term: Term) { generation = term.generation }

    /// The totals as the store has them; nil for a text of another form, and when a leader of a version that does not count has stored or
    /// deleted something since then.
    package init?(stored text: String, _ term: Term) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false).map { UInt64($0) }
        // in bounds: there are three parts.
        guard parts.count == 3, let messages = parts[0].flatMap({ Int(exactly: $0) }),
            let bytes = parts[1].flatMap({ Int(exactly: $0) }),
            let counter = parts[2], counter == term.generation || counter == term.former,
            (0...Self.highest).contains(messages), (0...Self.highest).contains(bytes)
        else { return nil }
        (self.messages, self.bytes, isWhole) = (messages, bytes, true)
        generation = term.generation
    }

    /// Has the next leader go on with the totals of this one, which it has restored.
    package func taken(over keys: Keys) -> [StoreWrite] { written(keys) }

    /// CR-42: with no higher totals, sums do not overflow.
    private static let highest = Int.max / 4

    /// Counts messages that are added.
    package mutating func add(_ added: [Entry], _ keys: Keys) -> [StoreWrite] {
        guard !added.isEmpty else { return [] }
        for entry in added { count(1, entry.bytes) }
        return added.map { .rank(keys.order, $0.word, score: $0.second) }
            + [.put(keys.sizes, added.map { StoreField($0.word, $0.value) })] + written(keys)
    }

    /// Counts messages that are removed.
    ///
    /// - Parameter removed: the messages with the sizes that the store has of them; nil for one that is not counted (any more).
    package mutating func remove(_ removed: [(word: StoreWord, bytes: Int?)], _ keys: Keys) -> [StoreWrite] {
        guard !removed.isEmpty else { return [] }
        for case let bytes? in removed.map(\.bytes) { count(-1, -min(bytes, Self.highest)) }
        let words = removed.map(\.word)
        return [.removeRanked(keys.order, words), .removeFields(keys.sizes, words)] + written(keys)
    }

    /// Counts messages whose sizes change.
    ///
    /// - Parameter changed: the messages, and the bytes that were counted before.
    package mutating func change(_ changed: [(entry: Entry, before: Int)], _ keys: Keys) -> [StoreWrite] {
        guard !changed.isEmpty else { return [] }
        for (entry, before) in changed {
            count(0, -min(before, Self.highest))
            count(0, entry.bytes)
        }
        return [.put(keys.sizes, changed.map { StoreField($0.entry.word, $0.entry.value) })] + written(keys)
    }

    /// Ends the counting of messages that were stored before.
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
