import Identifiers
import NIOCore
import RedisClient
import ServerCluster
import ServerStorage

// Everything that lasts, for a copy to another place while no server runs (rules DC-12 to DC-14).
extension RedisChatStore {
    /// Adds events, inboxes, receipts, marks and documents of all applications to a sink, and the highest id.
    ///
    /// - Returns: the number of events that were left out, because the sink has an event of another application with the same id. Partitions
    ///   assign ids independently of each other.
    package func copy(to sink: some RowSink) async throws -> Int {
        var highest: UInt64 = 0
        for key in [keys.highest, keys.reserved] {
            highest = max(highest, try await read("GET", key).text.flatMap { UInt64($0) } ?? 0)
        }
        if highest > 0 { try sink.put([.integer(1), .number(highest)], into: StoredTable.OfChat.reservation) }
        var leftOut = 0
        try await scan(keys.applications) { page in
            for (field, _) in page {
                let name = try Self.name(field)
                if let epoch = try await read("GET", keys.epoch).text {
                    try sink.put([.integer(1), .text(epoch)], into: StoredTable.OfChat.life)
                }
                leftOut += try await ChatApplicationCopy(self, name, sink).run()
            }
        }
        return leftOut
    }
}

/// The messages of the last hour that were sent with a client message id, by which a repeated one is recognized.
struct RecentSends: Sendable {
    struct Send: Sendable {
        var sender: String
        var clientID: String
        /// The position in the sender's own inbox; nil for none.
        var own: UInt64?
    }

    private let store: RedisChatStore
    private let stream: RedisArgument
    /// The oldest one; nil for none.
    private let oldest: UInt64?

    init(_ store: RedisChatStore, _ application: Identifier) async throws {
        self.store = store
        stream = store.keys.key(.sent, application)
        oldest = try await store.read("XRANGE", stream, "-", "+", "COUNT", 1).elements?.first?.elements?.first
            .flatMap { ChatKeys.number($0) }
    }

    func send(_ id: UInt64) async throws -> Send? {
        guard let oldest, id >= oldest else { return nil }
        let found = try await store.read("XRANGE", stream, ChatKeys.entry(id), ChatKeys.entry(id)).elements ?? []
        guard let entry = found.first else { return nil }
        guard let fields = entry.elements?.last?.elements, fields.count == 6, let sender = fields[1].text,
            let clientID = fields[3].text, let own = fields[5].text.flatMap({ UInt64($0) })
        else { throw RedisChatStore.Problem.damaged }
        return Send(sender: sender, clientID: clientID, own: own == 0 ? nil : own)
    }
}
