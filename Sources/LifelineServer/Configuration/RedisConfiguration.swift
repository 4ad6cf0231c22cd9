import RedisClient
import ServerCluster

/// The Redis or Valkey that several servers share, and the name of this server.
///
/// Descriptions and reflection never show the password.
public struct RedisConfiguration: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    let address: RedisAddress
    let keys: ClusterKeys
    /// This server's name in logs and metrics. The name need not be unique for the servers to work.
    public let node: String

    /// The prefix of all keys in Redis.
    public var prefix: String { keys.cluster }
    /// A hash of the servers and the database, without the user and password; valid within one process.
    package var placeHash: Int {
        var place = address
        place.credentials = nil
        return place.hashValue
    }

    /// Checks an address and names.
    ///
    /// - Parameters:
    ///   - address: `redis://USER:PASSWORD@HOST:PORT/DATABASE`, or `rediss://` for TLS. Everything except the host may be omitted. With
    ///     `?sentinel=NAME` the hosts are Sentinels of the master with that name, with `?cluster=true` nodes of a Redis Cluster.
    ///   - node: this server's name, 1 to 64 characters.
    ///   - prefix: the prefix of all keys: 1 to 64 letters, digits and `-`, `_`, `.`. Servers with the same Redis and prefix are one
    ///     cluster.
    /// - Throws: ``RedisConfigurationError``, which contains the remedy without quoting the address.
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

/// An error in the address or the names of a ``RedisConfiguration``.
public struct RedisConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String
}
