import Identifiers
import NIOCore
import ServerCluster
import ServerStorage

// Copies all durable data to another store, while no server runs (rules DC-12 to DC-14).
extension RedisChatStore {
    /// Copies events, inboxes, read receipts, hidden messages and documents of all applications to a sink, and the highest assigned id.
    ///
    /// - Returns: the number of events that were left out, because the sink has an event of another application with the same id.
    ///   Partitions assign ids independently of each other.
    package func copy(to sink: some RowSink) async throws -> Int {
        var highest: UInt64 = 0
        for key in [keys.highest, keys.reserved] {
            highest = max(highest, try await reader.text(of: key).flatMap { UInt64($0) } ?? 0)
        }
        if highest > 0 { try sink.put([.integer(1), .number(highest)], into: StoredTable.OfChat.reservation) }
        var leftOut = 0
        try await scan(keys.applications) { page in
            for field in page {
                let name = Self.name(field)
                if let epoch = try await reader.text(of: keys.epoch) {
                    try sink.put([.integer(1), .text(epoch)], into: StoredTable.OfChat.life)
                }
                leftOut += try await ChatApplicationCopy(of: name, from: self, to: sink).run()
            }
        }
        return leftOut
    }
}

/// The last hour's messages with a client message id, by which a repeated message is recognized.
struct RecentSends: Sendable {
    struct Send: Sendable {
        var sender: String
        var clientID: String
        /// The position of the message in its sender's own inbox; nil if the message is not in that inbox.
        var own: UInt64?
    }

    private let store: RedisChatStore
    private let stream: StoreKey
    /// The id of the oldest message that can be found here; nil if there is none.
    private let oldest: UInt64?

    init(_ store: RedisChatStore, _ application: Identifier) async throws {
        self.store = store
        stream = store.keys.key(.sent, application)
        oldest = try await store.reader.entries(of: stream, limit: 1).first?.number
    }

    func send(_ id: UInt64) async throws -> Send? {
        guard let oldest, id >= oldest else { return nil }
        guard let entry = try await store.reader.entries(of: stream, from: id, to: id, limit: 1).first else { return nil }
        let values = entry.fields.map { String(buffer: $0.value) }
        // in bounds: the count is compared first.
        guard values.count == 3, let own = UInt64(values[2]) else { throw RedisChatStore.Problem.damaged }
        // in bounds: `values` has three elements.
        return Send(sender: values[0], clientID: values[1], own: own == 0 ? nil : own)
    }
}
