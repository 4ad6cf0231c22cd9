import RedisClient
import ServerCluster

/// The server versions of the nodes of a cluster, for operators who upgrade them one after the other. They are stored in a hash in Redis
/// and not in messages between nodes, because servers of neighbouring versions must be able to read those messages (rule CR-48).
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

    /// The call that writes the version of this node's server.
    var store: RedisCall { .command(RedisCommand("HSET", key, .text(node.description), .text(own))) }

    /// The call that reads the server versions of all nodes.
    var read: RedisCall { .command(RedisCommand("HGETALL", key)) }

    /// Records the versions in the result of ``read``.
    ///
    /// - Returns: the call that removes the versions of nodes that have left the cluster; nil if there are none.
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
