import Configuration
import Foundation
import LifelineServer

extension ServeSettings {
    /// The Redis that is shared with other servers; nil without one.
    static func redis(
        _ options: ServeRedisOptions, _ reader: ConfigReader
    ) async throws(CommandFailure) -> RedisConfiguration? {
        let address = try await string(options.redis, "redis", in: reader)
        let node = try await string(options.node, "node", in: reader)
        let prefix = try await string(options.redisPrefix, "redisPrefix", in: reader)
        guard let address else {
            guard node == nil, prefix == nil else {
                throw CommandFailure(
                    "The settings node and redisPrefix are for servers that share a Redis: give redis, too.", .usage)
            }
            return nil
        }
        do throws(RedisConfigurationError) {
            return try RedisConfiguration(
                address: address, node: node ?? ProcessInfo.processInfo.hostName, prefix: prefix ?? "lifeline")
        } catch {
            throw CommandFailure(error.description, .usage)
        }
    }
}
