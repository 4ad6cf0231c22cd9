import Foundation
import LifelineServer

extension ServeSettings {
    /// The default name of this server in a cluster: the host name of this machine.
    static var defaultNode: String { ProcessInfo.processInfo.hostName }
    static let defaultRedisPrefix = "lifeline"

    /// The Redis servers that this server shares with others. Nil when there are none, and when one of these settings is invalid.
    static func redis(_ parts: RedisParts, _ given: GivenSettings) throws(CommandFailure) -> RedisConfiguration? {
        guard let value = given.values[ServerSetting.redis.name] else {
            if let alone = given.first(of: [.node, .redisPrefix, .partitions]) {
                throw alone.failure("is for servers that share a Redis: give redis, too (--redis, LIFELINE_REDIS).")
            }
            return nil
        }
        guard !parts.addresses.isEmpty else { return nil }
        do throws(RedisConfigurationError) {
            return try RedisConfiguration(
                addresses: parts.addresses, node: parts.node ?? defaultNode, prefix: parts.prefix ?? defaultRedisPrefix,
                partitions: parts.partitions)
        } catch {
            throw CommandFailure("\(value.source): \(error.description)", .usage)
        }
    }
}

/// The settings of Redis before they are checked together.
struct RedisParts: Sendable {
    /// The addresses of independent Redis servers: one address for each server.
    var addresses: [String] = []
    var partitions = 1
    /// The name of this server in the cluster; nil for the host name of the machine.
    var node: String?
    /// The prefix of keys; nil for ``ServeSettings/defaultRedisPrefix``.
    var prefix: String?
}
