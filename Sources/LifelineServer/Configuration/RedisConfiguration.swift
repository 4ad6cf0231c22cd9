import RedisClient
import ServerCluster

/// The Redis or Valkey that several servers share, and this server's name among them.
///
/// Descriptions and reflection never show the password.
public struct RedisConfiguration: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    let address: RedisAddress
    let keys: ClusterKeys
    /// What logs and metrics of all servers call this one. Two servers with one name are still two.
    public let node: String

    /// What the names of all keys begin with.
    public var prefix: String { keys.cluster }
    /// Differs for another address, the password included; of one process.
    package var addressHash: Int { address.hashValue }

    /// - Parameters:
    ///   - address: `redis://USER:PASSWORD@HOST:PORT/DATABASE`, or `rediss://` for TLS. All but the host may be left out. With
    ///     `?sentinel=NAME` the hosts are Sentinels that know a master of that name, with `?cluster=true` nodes of a Redis Cluster.
    ///   - node: what this server is called, 1 to 64 characters.
    ///   - prefix: what the names of all keys begin with: 1 to 64 letters, digits and `-`, `_`, `.`. Servers with one Redis and one
    ///     prefix are one cluster.
    /// - Throws: ``RedisConfigurationError``, which says what to change and quotes nothing of the address.
    public init(address: String, node: String, prefix: String = "lifeline") throws(RedisConfigurationError) {
        do throws(RedisAddressError) {
            self.address = try RedisAddress(address)
        } catch {
            throw RedisConfigurationError(description: error.description)
        }
        guard let keys = ClusterKeys(cluster: prefix) else {
            throw RedisConfigurationError(
                description: "The prefix of the keys in Redis has 1 to 64 letters, digits and - _ and dots.")
        }
        guard !node.isEmpty, node.count <= 64, node.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F }) else {
            throw RedisConfigurationError(description: "The name of a node has 1 to 64 characters, and no spaces.")
        }
        self.keys = keys
        self.node = node
    }

    public var description: String { "\(address) as \(node)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// What is wrong with the address or the names of a Redis.
public struct RedisConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String
}
