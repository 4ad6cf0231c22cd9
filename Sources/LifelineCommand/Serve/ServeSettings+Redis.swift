import Foundation
import LifelineServer

extension ServeSettings {
    /// The name of this machine.
    static var defaultNode: String { ProcessInfo.processInfo.hostName }
    static let defaultRedisPrefix = "lifeline"

    /// The Redis that is shared with other servers; nil without one.
    static func redis(
        _ options: ServeRedisOptions, _ sources: SettingSources
    ) throws(CommandFailure) -> RedisConfiguration? {
        // The address may have a password in it.
        let address = sources.value("redis", ("--redis", options.redis))?.confidential
        let node = sources.value("node", ("--node", options.node))
        let prefix = sources.value("redisPrefix", ("--redis-prefix", options.redisPrefix))
        guard let address else {
            if let alone = node ?? prefix {
                throw alone.failure("is for servers that share a Redis: give redis, too (--redis, LIFELINE_REDIS).")
            }
            return nil
        }
        let text = try address.string()
        let name = try node?.string() ?? defaultNode
        let keys = try prefix?.string() ?? defaultRedisPrefix
        do throws(RedisConfigurationError) {
            return try RedisConfiguration(address: text, node: name, prefix: keys)
        } catch {
            throw CommandFailure("\(address.source): \(error.description)", .usage)
        }
    }
}
