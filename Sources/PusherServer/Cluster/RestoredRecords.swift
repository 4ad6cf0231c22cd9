import NIOCore
import ServerCluster
import ServerRuntime
import WireCoding

/// The state that the previous leader has stored (rules CP-50 to CP-56).
///
/// Records that cannot be decoded come from another version and are skipped; the nodes announce their connections anyway.
struct RestoredRecords: Sendable {
    var holdings: [KeptHolding] = []
    var users: [(ClusterNode, SignedInConnection)] = []
    /// The numbers of connections for each node and application with a limit.
    var connections: [(ClusterNode, ApplicationCount)] = []
    /// Users who have recently disconnected, with their applications.
    var offline: [(application: String, user: String)] = []
    /// Channels that were vacated and members who have left, for which no webhook event was sent yet.
    var absences: [(channel: ChannelID, user: String?)] = []
    /// Events of cache channels in the order in which they expire; `expires` is Unix time in milliseconds.
    var cached: [(channel: ChannelID, event: String, data: String, expires: Int64)] = []

    /// The number of values that are read from the store with one command.
    private static let part = 100

    init(_ store: any ClusterReader, _ keys: RecordKeys, now: Int64) async throws(StoreFailure) {
        for (field, value) in try await Self.hash(keys.subscriptions, store) {
            if let kept = try? KeptHolding(field: field, value: value) { holdings.append(kept) }
        }
        holdings.sort { $0.since < $1.since }
        for (field, value) in try await Self.hash(keys.users, store) {
            guard let name = try? PairName<ClusterNode, SocketID>(decodingName: field),
                let connection = try? SignedInConnection(decoding: value)
            else { continue }
            users.append((name.first, connection))
        }
        for (field, value) in try await Self.hash(keys.connections, store) {
            guard let name = try? PairName<ClusterNode, String>(decodingName: field), let count = UInt32(String(buffer: value))
            else { continue }
            connections.append((name.first, ApplicationCount(application: name.second, count: Int(count))))
        }
        for member in try await Self.members(keys.offline, from: nil, store) {
            guard let name = try? PairName<String, String>(decodingName: member) else { continue }
            offline.append((name.first, name.second))
        }
        for member in try await Self.members(keys.absences, from: nil, store) {
            guard let name = try? MemberName(decodingName: member) else { continue }
            absences.append((name.channel, name.user))
        }
        try await readCached(store, keys, now: now)
    }

    private mutating func readCached(_ store: any ClusterReader, _ keys: RecordKeys, now: Int64) async throws(StoreFailure) {
        var channels: [ChannelID] = []
        for member in try await Self.members(keys.cacheIndex, from: now, store) {
            if let channel = try? ChannelID(decodingName: member) { channels.append(channel) }
        }
        for start in stride(from: 0, to: channels.count, by: Self.part) {
            let part = channels.clamped(from: start, to: start + Self.part)
            let values = try await store.values(of: part.map { keys.cached($0) })
            for (channel, value) in zip(part, values) {
                guard let kept = value.flatMap({ try? KeptCachedEvent(decoding: $0) }) else { continue }
                cached.append((channel, kept.event, kept.data, kept.expires))
            }
        }
    }

    /// Reads all fields of a map. The store may return a field several times; the result has it once.
    private static func hash(
        _ key: StoreKey, _ store: any ClusterReader
    ) async throws(StoreFailure) -> [ByteBuffer: ByteBuffer] {
        var entries: [ByteBuffer: ByteBuffer] = [:]
        try await store.entries(of: key) { entries[$0] = $1 }
        return entries
    }

    /// Reads a sorted set in several parts. The parts are consistent, because nothing is written in the meantime.
    private static func members(
        _ key: StoreKey, from score: Int64?, _ store: any ClusterReader
    ) async throws(StoreFailure) -> [ByteBuffer] {
        let part = 10_000
        var members: [ByteBuffer] = []
        while true {
            let found = try await store.ranked(in: key, from: score, skipping: members.count, limit: part)
            members += found
            guard found.count == part else { return members }
        }
    }
}

/// The last event of a cache channel, as stored.
struct KeptCachedEvent: CodedValue {
    /// When the event expires, as Unix time in milliseconds.
    var expires: Int64
    var event: String
    var data: String

    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(
            expires: try fields.field(1, value?.expires), event: try fields.field(2, value?.event),
            data: try fields.field(3, value?.data))
    }
}
