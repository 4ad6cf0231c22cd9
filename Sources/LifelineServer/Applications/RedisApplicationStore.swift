import Identifiers
import Logging
import NIOConcurrencyHelpers
import NIOCore
import RedisClient
import RedisStoreEngine
import ServerCluster
import ServerStorage

/// Stores the applications that are made at run time in the Redis of a cluster, in one hash for all servers (rules AR-4, AR-5 and AR-13).
final class RedisApplicationStore: ApplicationStore {
    /// The field of the hash that counts changes. It cannot be the name of an entry, because those names contain a slash.
    static let number = "#change"
    /// The name of the hash among the keys of a cluster.
    static let name = "applications"
    /// The time limit of each command that is sent to Redis.
    private static let limit = Duration.seconds(5)

    private let link: RedisLink
    private let key: RedisArgument
    private let channel: String
    private let changed = NIOLockedValueBox<(@Sendable () -> Void)?>(nil)

    var isShared: Bool { true }

    /// Connects to Redis and subscribes to notifications of changes.
    ///
    /// - Parameter patience: how long Redis may be unreachable before this throws.
    /// - Throws: ``ServerError/redisUnreachable(reason:)`` or ``ServerError/redisUnusable(reason:)``.
    init(
        _ redis: RedisConfiguration, _ configuration: ServerConfiguration, on eventLoop: any EventLoop, within patience: Duration
    ) async throws {
        let settings = try RedisEngineSettings(redis, at: redis.firstAddress, keys: redis.keys, incarnation: 0, configuration)
        try await RedisStart(settings, redis.firstAddress, layout: nil, configuration.clock, eventLoop).check(within: patience)
        channel = redis.keys.name(Self.name)
        key = redis.keys.key(Self.name)
        let name = ByteBuffer(string: channel)
        link = RedisLink(settings.link, eventLoop: eventLoop) { [changed, name] event in
            switch event {
            case .message(let message) where message.channel == name: changed.withLockedValue { $0 }?()
            // A restored connection to Redis is treated like a notification of a change, because notifications may have been lost while the
            // connection was interrupted.
            case .restored: changed.withLockedValue { $0 }?()
            default: return
            }
        }
        link.start()
        // The result is ignored: an unconfirmed subscription is repeated after a reconnect, and the store is also read at regular
        // intervals.
        link.subscribe(to: [name], within: Self.limit) { _ in }
    }

    func watch(_ changed: @escaping @Sendable () -> Void) { self.changed.withLockedValue { $0 = changed } }

    /// Uses the user and password of this configuration for later connections.
    func renew(_ redis: RedisConfiguration) {
        // An error is ignored: the address was valid when the server was started, and only its credentials have changed.
        guard let settings = try? RedisEngineSettings.link(redis, at: redis.firstAddress, keys: redis.keys, seed: 0) else {
            return
        }
        link.renew(settings.endpoint)
    }

    func load() async throws -> StoredApplications {
        let answer = try await link.send(RedisCommand("HGETALL", key), within: Self.limit)
        guard case .map(let pairs) = answer else { throw Unexpected() }
        var stored = StoredApplications()
        for pair in pairs {
            guard let name = pair.key.text else { continue }
            if name == Self.number {
                stored.version = pair.value.number ?? 0
            } else if let bytes = pair.value.bytes {
                stored.entries[Identifier(name)] = Array(bytes.readableBytesView)
            }
        }
        return stored
    }

    func version() async throws -> Int64 {
        try await link.send(RedisCommand("HGET", key, .text(Self.number)), within: Self.limit).number ?? 0
    }

    func write(_ entry: [UInt8]?, name: Identifier, after version: Int64) async throws -> Int64? {
        let answer = try await link.run(
            Self.script, keys: [key],
            arguments: [
                .text(Self.number), .integer(version), .text(channel), .text(name.text), .bytes(ByteBuffer(bytes: entry ?? [])),
            ], within: Self.limit)
        guard let next = answer.number else { throw Unexpected() }
        return next < 0 ? nil : next
    }

    func close() async {
        changed.withLockedValue { $0 = nil }
        link.close()
    }

    /// Redis sent an answer of a type that the command does not have.
    private struct Unexpected: Error, CustomStringConvertible {
        var description: String { "Redis gave an unexpected answer" }
    }

    /// Writes an entry, or deletes it if the new entry is empty, and notifies all servers. Does nothing if another change came first.
    ///
    /// The script returns the number of the change, or -1 if another change came first.
    private static let script = RedisScript(
        name: "applications",
        text: """
            if (redis.call('HGET', KEYS[1], ARGV[1]) or '0') ~= ARGV[2] then return -1 end
            if ARGV[5] == '' then
                redis.call('HDEL', KEYS[1], ARGV[4])
            else
                redis.call('HSET', KEYS[1], ARGV[4], ARGV[5])
            end
            local number = redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
            redis.call('PUBLISH', ARGV[3], number)
            return number
            """)
}
