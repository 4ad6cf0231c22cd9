import NIOCore
import RedisClient
import ServerCluster

/// The names of a cluster's keys and channels in Redis. All have one hash tag, so they are in one slot of a Redis Cluster, and one
/// script may access all of them.
package struct ClusterKeys: Hashable, Sendable {
    /// The name of the cluster: servers with the same name and the same Redis are one cluster.
    package let cluster: String
    private let prefix: String
    // Made once, because each batch and each message needs them.
    let leader: RedisArgument
    let log: RedisArgument
    /// The channel on which batches are published.
    let logChannel: String

    /// - Parameter cluster: up to 64 letters, digits, `-`, `_` and `.`.
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

    /// The keys of one partition: with a hash tag of their own, or those of the cluster itself when it has one partition only, as in
    /// versions without partitions (rule CR-50).
    package func of(partition: Int, among partitions: ClusterPartitions) -> ClusterKeys {
        guard partitions.count > 1 else { return self }
        return ClusterKeys(cluster: cluster, prefix: "{lifeline:\(cluster):\(partition)}:")
    }

    /// The name of the development cluster.
    package static let standardCluster = "lifeline"

    package func name(_ name: String) -> String { prefix + name }
    /// The pattern of all keys of the cluster, or of those of all its partitions.
    package var pattern: String { prefix == "{lifeline:\(cluster)}:" ? prefix + "*" : "{lifeline:\(cluster):*}:*" }
    package func key(_ name: String) -> RedisArgument { .text(prefix + name) }
    /// The same for writes and questions.
    package func storeKey(_ name: String) -> StoreKey { StoreKey(prefix + name) }

    /// The version of the server for each node, for operators: a hash from the node's description to the version.
    var versions: RedisArgument { key("versions") }

    /// The channel on which a node receives requests while it leads.
    func requestsChannel(of node: ClusterNode) -> String { prefix + "requests:" + String(node.incarnation, radix: 16) }
    /// The channel on which a node receives answers to its queries.
    func answersChannel(of node: ClusterNode) -> String { prefix + "answers:" + String(node.incarnation, radix: 16) }
}
