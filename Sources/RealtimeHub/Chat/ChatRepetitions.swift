import DequeModule
import Identifiers

/// A message that was sent before under the same client id.
public struct ChatRepetition: Hashable, Sendable {
    /// The id of the message that was sent before.
    public var id: UInt64
    /// Its place in the sender's own inbox, if it has one there.
    public var sequence: UInt64?

    /// Makes a value with these properties.
    public init(id: UInt64, sequence: UInt64?) {
        self.id = id
        self.sequence = sequence
    }
}

/// Client ids of the last hour (rule CH-25).
///
/// Kept as fingerprints of 128 bits, keyed anew by each process: 1,000,000 of them cost 150 MB at most, and a clash is less likely
/// than a fault of the machine's memory. One sender has a share of them.
struct ChatRepetitions: Sendable {
    /// Ticks of 100 ns in an hour.
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
    /// All messages in the order of their ids; may contain ids of forgotten messages.
    private var order: Deque<Name> = []
    /// The messages of each sender, oldest first.
    private var bySender: [Fingerprint: Deque<Name>] = [:]

    /// - Parameters:
    ///   - limit: messages that are remembered.
    ///   - share: how many of them are of one sender at most.
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

    /// Notes a message. Ids come in their order.
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

    /// Forgets a message, and those of its sender that came before it.
    private mutating func forget(_ name: Name, of sender: Fingerprint) {
        while let first = bySender[sender]?.first, first.id <= name.id {
            bySender[sender]?.removeFirst()
            if entries[first.key]?.id == first.id { entries[first.key] = nil }
        }
        if bySender[sender]?.isEmpty == true { bySender[sender] = nil }
    }
}
