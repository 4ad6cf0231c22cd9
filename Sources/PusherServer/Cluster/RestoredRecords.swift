import NIOCore
import RedisClient
import ServerCluster
import ServerRuntime
import WireCoding

/// The state that the previous leader has stored in Redis (rules CP-50 to CP-56).
///
/// Records that cannot be read are skipped: they come from another version, and their nodes announce their connections.
struct RestoredRecords: Sendable {
    var holdings: [KeptHolding] = []
    var users: [(ClusterNode, SignedInConnection)] = []
    /// The numbers of connections of applications with a limit.
    var connections: [(ClusterNode, ApplicationCount)] = []
    /// Users who have recently disconnected, with their applications.
    var offline: [(application: String, user: String)] = []
    /// Channels and members whose leaving has not been reported to webhooks yet.
    var absences: [(channel: ChannelID, user: String?)] = []
    /// Events of cache channels in the order of their expiry, with its Unix time in milliseconds.
    var cached: [(channel: ChannelID, event: String, data: String, expires: Int64)] = []

    /// The number of keys that one command reads.
    private static let part = 100

    init(_ store: any ClusterReader, _ keys: RecordKeys, now: Int64) async throws(RedisFailure) {
        for (field, value) in try await Self.hash(keys.subscriptions, store) {
            if let kept = try? KeptHolding(field: field, value: value) { holdings.append(kept) }
        }
        holdings.sort { $0.since < $1.since }
        for (field, value) in try await Self.hash(keys.users, store) {
            var (field, value) = (field, value)
            guard let node = try? field.node(), let connection = try? value.connection() else { continue }
            users.append((node, connection))
        }
        for (field, value) in try await Self.hash(keys.connections, store) {
            var field = field
            guard let node = try? field.node(), let application = try? field.text(), let count = UInt32(String(buffer: value))
            else { continue }
            connections.append((node, ApplicationCount(application: application, count: Int(count))))
        }
        for var member in try await Self.members(keys.offline, from: "-inf", store) {
            guard let application = try? member.text(), let user = try? member.text() else { continue }
            offline.append((application, user))
        }
        for var member in try await Self.members(keys.absences, from: "-inf", store) {
            do throws(ClusterCodingError) {
                let channel = try member.channel()
                let user = try member.optional { (buffer) throws(ClusterCodingError) in try buffer.text() }
                absences.append((channel, user))
            } catch {
                continue
            }
        }
        try await readCached(store, keys, now: now)
    }

    private mutating func readCached(_ store: any ClusterReader, _ keys: RecordKeys, now: Int64) async throws(RedisFailure) {
        var channels: [ChannelID] = []
        for var member in try await Self.members(keys.cacheIndex, from: .integer(now), store) {
            if let channel = try? member.channel() { channels.append(channel) }
        }
        for start in stride(from: 0, to: channels.count, by: Self.part) {
            let part = channels.clamped(from: start, to: start + Self.part)
            let values = try await store.read(RedisCommand("MGET", part.map { keys.cached($0) })).elements ?? []
            for (channel, value) in zip(part, values) {
                guard var value = value.bytes, let expires = try? value.number(Int64.self), let event = try? value.text(),
                    let data = try? value.text()
                else { continue }
                cached.append((channel, event, data, expires))
            }
        }
    }

    /// The entries of a hash, each once.
    private static func hash(
        _ key: RedisArgument, _ store: any ClusterReader
    ) async throws(RedisFailure) -> [ByteBuffer: ByteBuffer] {
        var entries: [ByteBuffer: ByteBuffer] = [:]
        try await store.entries(of: key) { entries[$0] = $1 }
        return entries
    }

    /// Nothing is written in the meantime, so the parts are consistent.
    private static func members(
        _ key: RedisArgument, from score: RedisArgument, _ store: any ClusterReader
    ) async throws(RedisFailure) -> [ByteBuffer] {
        let part = 10_000
        var members: [ByteBuffer] = []
        while true {
            let answer = try await store.read(
                RedisCommand(
                    "ZRANGEBYSCORE", key, score, "+inf", "LIMIT", .integer(Int64(members.count)), .integer(Int64(part))))
            let found = answer.elements?.compactMap(\.bytes) ?? []
            members += found
            guard found.count == part else { return members }
        }
    }
}
