import RedisClient
import RedisStoreEngine
import ServerCluster

/// The Redis or Valkey servers of a cluster, the number of partitions into which the cluster divides its applications, and the name of this
/// server.
///
/// Descriptions and reflection never show the passwords.
public struct RedisConfiguration: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// At least one.
    let addresses: [RedisAddress]
    let keys: ClusterKeys
    private(set) var clusterPartitions: ClusterPartitions
    /// This server's name in logs and metrics. Servers work even if several have the same name.
    public let node: String

    /// The prefix of all keys in Redis.
    public var prefix: String { keys.cluster }
    /// The number of partitions. Each partition has its own leader, which decides about some of the channels and applications.
    public var partitions: Int { clusterPartitions.count }

    /// The addresses of Redis for output, without users and passwords.
    package var places: [String] {
        addresses.map { address in
            var place = address
            place.credentials = nil
            return place.description
        }
    }

    /// The Redis that stores each partition, in the order of the partitions.
    var addressesOfPartitions: [RedisAddress] {
        // in bounds: `PartitionPlacement.places` returns indices of `places`, which has one element for each address.
        PartitionPlacement.places(of: clusterPartitions, over: places).map { addresses[$0] }
    }

    /// The Redis of the first partition. It also stores data that belong to no partition.
    var firstAddress: RedisAddress { addressesOfPartitions.first ?? addresses[0] }

    /// - Parameter hasDatabase: whether a database beside Redis stores the durable data.
    func layout(hasDatabase: Bool) -> ClusterLayout { ClusterLayout(clusterPartitions, over: places, hasDatabase: hasDatabase) }

    /// This configuration with another number of partitions; nil if there would be fewer partitions than Redis servers.
    func divided(into partitions: ClusterPartitions) -> RedisConfiguration? {
        guard addresses.count <= partitions.count else { return nil }
        var divided = self
        divided.clusterPartitions = partitions
        return divided
    }

    /// Makes a configuration with one Redis, or one Redis Cluster. Checks the address and the names.
    ///
    /// - Parameters:
    ///   - address: `redis://USER:PASSWORD@HOST:PORT/DATABASE`, or `rediss://` for TLS. Everything except the host may be omitted. With
    /// `?sentinel=NAME` the hosts are Sentinels of the master with that name, with `?cluster=true` nodes of a Redis Cluster.
    ///   - node: this server's name, 1 to 64 characters.
    ///   - prefix: the prefix of all keys: 1 to 64 letters, digits and `-`, `_`, `.`. Servers with the same Redis and prefix are one
    /// cluster.
    /// - Throws: ``RedisConfigurationError``, which contains the remedy without quoting the address.
    public init(address: String, node: String, prefix: String = "lifeline") throws(RedisConfigurationError) {
        try self.init(addresses: [address], node: node, prefix: prefix, partitions: 1)
    }

    /// Makes a configuration with one or several independent Redis servers. Checks the addresses and the names.
    ///
    /// - Parameters:
    ///   - addresses: one address for each Redis, as for ``init(address:node:prefix:)``; no more than there are partitions.
    ///   - node: this server's name, 1 to 64 characters.
    ///   - prefix: the prefix of all keys: 1 to 64 letters, digits and `-`, `_`, `.`.
    ///   - partitions: the number of partitions, 1 to 16. It is fixed at the first start of the cluster.
    /// - Throws: ``RedisConfigurationError``, which contains the remedy without quoting an address.
    public init(
        addresses: [String], node: String, prefix: String = "lifeline", partitions: Int
    ) throws(RedisConfigurationError) {
        guard let clusterPartitions = ClusterPartitions(partitions) else {
            throw RedisConfigurationError(description: "The number of partitions must be from 1 to \(ClusterPartitions.limit).")
        }
        self.clusterPartitions = clusterPartitions
        self.addresses = try Self.parsed(addresses)
        guard let keys = ClusterKeys(cluster: prefix) else {
            throw RedisConfigurationError(
                description: "The prefix of the keys in Redis must have 1 to 64 characters: letters, digits, -, _ and dots.")
        }
        guard !node.isEmpty, node.count <= 64, node.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F }) else {
            throw RedisConfigurationError(description: "The name of a node must have 1 to 64 characters, and no spaces.")
        }
        self.keys = keys
        self.node = node
        guard self.addresses.count <= partitions else {
            throw RedisConfigurationError(
                description: "There are \(addresses.count) Redis but only \(partitions) partitions, so some Redis would store "
                    + "nothing. Set partitions to \(addresses.count) or more, or give fewer addresses.")
        }
        guard Set(places).count == places.count else {
            throw RedisConfigurationError(
                description: "Two addresses of Redis name the same server and database. Remove one of them.")
        }
    }

    private static func parsed(_ texts: [String]) throws(RedisConfigurationError) -> [RedisAddress] {
        guard !texts.isEmpty else {
            throw RedisConfigurationError(description: "The list of Redis addresses is empty. Give at least one address.")
        }
        var addresses: [RedisAddress] = []
        for text in texts {
            do throws(RedisAddressError) {
                addresses.append(try RedisAddress(text))
            } catch {
                throw RedisConfigurationError(description: error.description)
            }
        }
        return addresses
    }

    public var description: String { "\(addresses.map(\.description).joined(separator: ", ")) as \(node)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// An error in the addresses or the names of a ``RedisConfiguration``.
public struct RedisConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String
}
