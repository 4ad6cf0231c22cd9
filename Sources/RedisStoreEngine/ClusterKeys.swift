import NIOCore
import RedisClient
import ServerCluster

/// The names of a cluster's keys and channels in Redis. All have the same hash tag, so they are in one slot of a Redis Cluster, and one
/// script may access all of them.
package struct ClusterKeys: Hashable, Sendable {
    /// The name of the cluster. Servers with the same name and the same Redis form one cluster.
    package let cluster: String
    private let prefix: String
    // These names are stored and not made at each use, because each batch and each message needs them.
    let leader: RedisArgument
    let log: RedisArgument
    /// The Redis channel on which the leader publishes the batches of the log.
    let logChannel: String

    /// Makes the keys of a cluster; nil for an invalid name.
    ///
    /// - Parameter cluster: the cluster's name: up to 64 letters, digits, `-`, `_` and `.`.
    package init?(cluster: String) {
        let isValid =
            !cluster.isEmpty && cluster.utf8.count <= 64
            && cluster.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
        guard isValid else { return nil }
        self.init(cluster: cluster, prefix: "{lifeline:\(cluster)}:")
    }

    private init(cluster: String, prefix: String) {
        self.cluster = cluster
        self.prefix = prefix
        leader = .text(prefix + "leader")
        log = .text(prefix + "log")
        logChannel = prefix + "log"
    }

    /// Returns the keys of one partition. Each of several partitions has a separate hash tag; a single partition has the keys of the
    /// cluster itself, as in versions without partitions (rule CR-50).
    package func of(partition: Int, among partitions: ClusterPartitions) -> ClusterKeys {
        guard partitions.count > 1 else { return self }
        return ClusterKeys(cluster: cluster, prefix: "{lifeline:\(cluster):\(partition)}:")
    }

    /// The name of a cluster for which no name is configured.
    package static let standardCluster = "lifeline"

    package func name(_ name: String) -> String { prefix + name }
    /// A Redis pattern that matches all keys of the cluster, including those of all its partitions.
    package var pattern: String { prefix == "{lifeline:\(cluster)}:" ? prefix + "*" : "{lifeline:\(cluster):*}:*" }
    package func key(_ name: String) -> RedisArgument { .text(prefix + name) }
    /// Returns the full name of a key for a ``StoreWrite`` or ``StoreRead``.
    package func storeKey(_ name: String) -> StoreKey { StoreKey(prefix + name) }

    /// The name of a Redis hash for operators: its fields are descriptions of nodes, its values the versions of their servers.
    var versions: RedisArgument { key("versions") }

    /// The Redis channel on which a node receives the requests of all nodes while it is the leader.
    func requestsChannel(of node: ClusterNode) -> String { prefix + "requests:" + String(node.incarnation, radix: 16) }
    /// The Redis channel on which a node receives the leader's answers to its queries.
    func answersChannel(of node: ClusterNode) -> String { prefix + "answers:" + String(node.incarnation, radix: 16) }
}
