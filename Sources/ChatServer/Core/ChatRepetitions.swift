import DequeModule
import Identifiers

/// An earlier message of the same sender with the same client id.
package struct ChatRepetition: Hashable, Sendable {
    /// The id of the earlier message.
    package var id: UInt64
    /// The position of the earlier message in the sender's own inbox; nil if it has none there.
    package var sequence: UInt64?

    package init(id: UInt64, sequence: UInt64?) {
        self.id = id
        self.sequence = sequence
    }
}

/// The client ids of the last hour's messages, by which repeated messages are recognised (rule CH-25).
///
/// An id is stored as a fingerprint of 128 bits, with a new key for each process. 1,000,000 of them take at most 150 MB, and a collision is
/// less likely than a memory fault. The number of ids of one sender is limited.
struct ChatRepetitions: Sendable {
    /// The time in units of 100 ns for which a client id is remembered: an hour.
    static let span: UInt64 = 36_000_000_000

    private struct Fingerprint: Hashable {
        let first: Int
        let second: Int

        init(_ sender: Identifier, _ clientID: Identifier = "") {
            var hasher = Hasher()
            hasher.combine(sender)
            hasher.combine(clientID)
            var other = hasher
            other.combine(UInt8(1))
            first = hasher.finalize()
            second = other.finalize()
        }
    }

    private struct Entry {
        var id: UInt64
        var sequence: UInt64
        var sender: Fingerprint
    }

    private typealias Name = (id: UInt64, key: Fingerprint)

    let limit: Int
    let share: Int
    private var entries: [Fingerprint: Entry] = [:]
    /// The recorded messages in the order of their ids. Messages that ``remove(_:_:id:)`` has removed may still be in this list.
    private var order: Deque<Name> = []
    /// The messages of each sender, oldest first.
    private var bySender: [Fingerprint: Deque<Name>] = [:]

    /// - Parameters:
    ///   - limit: the largest number of stored messages.
    ///   - share: the largest number of stored messages of one sender.
    init(limit: Int = 1_000_000, share: Int = 10_000) {
        self.limit = max(limit, 1)
        self.share = max(share, 1)
    }

    var count: Int { entries.count }

    func find(_ sender: Identifier, _ clientID: Identifier) -> ChatRepetition? {
        entries[Fingerprint(sender, clientID)].map {
            ChatRepetition(id: $0.id, sequence: $0.sequence == 0 ? nil : $0.sequence)
        }
    }

    /// Records a message. Messages have to be recorded in ascending order of their ids.
    mutating func note(_ sender: Identifier, _ clientID: Identifier, id: UInt64, sequence: UInt64?) {
        let (key, sender) = (Fingerprint(sender, clientID), Fingerprint(sender))
        entries[key] = Entry(id: id, sequence: sequence ?? 0, sender: sender)
        order.append((id, key))
        bySender[sender, default: []].append((id, key))
        forget(before: id > Self.span ? id - Self.span : 0)
        while bySender[sender]?.count ?? 0 > share, let oldest = bySender[sender]?.first { forget(oldest, of: sender) }
        while entries.count > limit { dropFirst() }
        if order.count > 2 * limit {
            let entries = entries
            order.removeAll { entries[$0.key]?.id != $0.id }
        }
    }

    /// Removes a message that could not be stored.
    mutating func remove(_ sender: Identifier, _ clientID: Identifier, id: UInt64) {
        let key = Fingerprint(sender, clientID)
        guard let entry = entries[key], entry.id == id else { return }
        entries[key] = nil
        bySender[entry.sender]?.removeAll { $0.id == id }
        if bySender[entry.sender]?.isEmpty == true { bySender[entry.sender] = nil }
    }

    mutating func forget(before id: UInt64) {
        while let first = order.first, first.id < id { dropFirst() }
    }

    private mutating func dropFirst() {
        guard let first = order.popFirst() else { return }
        if let entry = entries[first.key], entry.id == first.id { forget(first, of: entry.sender) }
    }

    /// Removes a message and all earlier messages of the same sender.
    private mutating func forget(_ name: Name, of sender: Fingerprint) {
        while let first = bySender[sender]?.first, first.id <= name.id {
            bySender[sender]?.removeFirst()
            if entries[first.key]?.id == first.id { entries[first.key] = nil }
        }
        if bySender[sender]?.isEmpty == true { bySender[sender] = nil }
    }
}
