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
/// Kept as fingerprints of 128 bits, keyed anew by each process: 1,000,000 of them cost 90 MB at most, and a clash is less likely
/// than a fault of the machine's memory.
struct ChatRepetitions: Sendable {
    /// Ticks of 100 ns in an hour.
    static let span: UInt64 = 36_000_000_000

    private struct Fingerprint: Hashable {
        let first: Int
        let second: Int

        init(_ sender: Identifier, _ clientID: Identifier) {
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
    }

    let limit: Int
    private var entries: [Fingerprint: Entry] = [:]
    private var order: Deque<(id: UInt64, key: Fingerprint)> = []

    init(limit: Int = 1_000_000) {
        self.limit = max(limit, 1)
    }

    var count: Int { entries.count }

    func find(_ sender: Identifier, _ clientID: Identifier) -> ChatRepetition? {
        entries[Fingerprint(sender, clientID)].map {
            ChatRepetition(id: $0.id, sequence: $0.sequence == 0 ? nil : $0.sequence)
        }
    }

    /// Notes a message. Ids come in their order.
    mutating func note(_ sender: Identifier, _ clientID: Identifier, id: UInt64, sequence: UInt64?) {
        let key = Fingerprint(sender, clientID)
        entries[key] = Entry(id: id, sequence: sequence ?? 0)
        order.append((id, key))
        forget(before: id > Self.span ? id - Self.span : 0)
        while order.count > limit { dropFirst() }
    }

    /// Forgets a message that could not be kept after all.
    mutating func remove(_ sender: Identifier, _ clientID: Identifier, id: UInt64) {
        let key = Fingerprint(sender, clientID)
        if entries[key]?.id == id { entries[key] = nil }
    }

    mutating func forget(before id: UInt64) {
        while let first = order.first, first.id < id { dropFirst() }
    }

    private mutating func dropFirst() {
        guard let first = order.popFirst() else { return }
        if entries[first.key]?.id == first.id { entries[first.key] = nil }
    }
}
