import Foundation
import LifelineServer

extension ServeSettings {
    /// The name of this machine.
    static var defaultNode: String { ProcessInfo.processInfo.hostName }
    static let defaultRedisPrefix = "lifeline"

    /// The Redis that is shared with other servers; nil without one, and when one of its settings is invalid.
    static func redis(_ parts: RedisParts, _ given: GivenSettings) throws(CommandFailure) -> RedisConfiguration? {
        guard let value = given.values[ServerSetting.redis.name] else {
            if let alone = given.first(of: [.node, .redisPrefix]) {
                throw alone.failure("is for servers that share a Redis: give redis, too (--redis, LIFELINE_REDIS).")
            }
            return nil
        }
        guard let address = parts.address else { return nil }
        do throws(RedisConfigurationError) {
            return try RedisConfiguration(
                address: address, node: parts.node ?? defaultNode, prefix: parts.prefix ?? defaultRedisPrefix)
        } catch {
            throw CommandFailure("\(value.source): \(error.description)", .usage)
        }
    }
}

/// The settings about Redis.
struct RedisParts: Sendable {
    var address: String?
    /// The name of the node; nil for the name of the machine.
    var node: String?
    /// The prefix of keys; nil for ``ServeSettings/defaultRedisPrefix``.
    var prefix: String?
}
