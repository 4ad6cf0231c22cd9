import RedisClient
import ServerCluster

/// The versions of the servers of a cluster, for operators who upgrade them one after the other. They are in a hash in Redis, because the
/// messages between nodes are read by neighbouring versions and do not change for this (rule CR-48).
struct NodeVersions {
    private let key: RedisArgument
    private let node: ClusterNode
    private let own: String
    private var known: [String: String] = [:]

    init(_ key: RedisArgument, node: ClusterNode, version: String) {
        self.key = key
        self.node = node
        own = version
    }

    /// Writes the version of this node.
    var store: RedisCall { .command(RedisCommand("HSET", key, .text(node.description), .text(own))) }

    /// Reads the versions of all nodes.
    var read: RedisCall { .command(RedisCommand("HGETALL", key)) }

    /// Records the answer to ``read``.
    ///
    /// - Returns: the call that removes the versions of nodes that are not in the cluster any more; nil if there are none.
    mutating func noted(_ answer: RedisValue, nodes: [ClusterNode]) -> RedisCall? {
        guard case .map(let pairs) = answer else { return nil }
        known = [:]
        var former: [RedisArgument] = []
        let names = Set(nodes.map(\.description))
        for pair in pairs {
            guard let name = pair.key.text else { continue }
            if names.contains(name) { known[name] = pair.value.text } else { former.append(.text(name)) }
        }
        return former.isEmpty ? nil : .command(RedisCommand("HDEL", [key] + former))
    }

    func version(of node: ClusterNode) -> String? { node == self.node ? own : known[node.description] }
}
