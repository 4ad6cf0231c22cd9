import NIOConcurrencyHelpers
import ServerCluster
import ServerValues

/// The nodes of a cluster by numbers, which stand where the state has the numbers of event loops.
final class ChatNodeNumbers: Sendable {
    private let nodes = NIOLockedValueBox([ClusterNode?](repeating: nil, count: EventLoopSet.capacity))

    /// The nodes, at their numbers.
    var all: [ClusterNode?] { nodes.withLockedValue { $0 } }

    /// The number of a node that has one.
    func number(known node: ClusterNode) -> Int? { nodes.withLockedValue { $0.firstIndex(of: node) } }

    /// The number of a node, which is given one if need be; nil when all are taken.
    func number(of node: ClusterNode) -> Int? {
        nodes.withLockedValue { nodes in
            if let number = nodes.firstIndex(of: node) { return number }
            guard let free = nodes.firstIndex(of: nil) else { return nil }
            nodes[free] = node
            return free
        }
    }

    func release(_ node: ClusterNode) {
        nodes.withLockedValue { nodes in
            if let number = nodes.firstIndex(of: node) { nodes[number] = nil }
        }
    }
}
