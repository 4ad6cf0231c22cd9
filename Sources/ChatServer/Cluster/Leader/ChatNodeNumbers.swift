import NIOConcurrencyHelpers
import ServerCluster
import ServerValues

/// The numbers of a cluster's nodes. The leader's state uses them in place of numbers of event loops.
final class ChatNodeNumbers: Sendable {
    private struct State: Sendable {
        var nodes = [ClusterNode?](repeating: nil, count: EventLoopSet.capacity)
        /// The nodes that have sent an announcement of their sessions to this leader and have not left.
        var announced: Set<ClusterNode> = []
    }

    private let state = NIOLockedValueBox(State())

    /// The nodes, indexed by their numbers.
    var all: [ClusterNode?] { state.withLockedValue(\.nodes) }

    /// The number that was assigned to a node; nil when the node has no number.
    func number(known node: ClusterNode) -> Int? { state.withLockedValue { $0.nodes.firstIndex(of: node) } }

    /// The number of a node, assigned at the first call; nil when all numbers are taken.
    func number(of node: ClusterNode) -> Int? { state.withLockedValue { Self.number(of: node, in: &$0) } }

    /// Records that a node has announced its sessions. Returns the node's number, which is assigned if it has none; nil when all numbers
    /// are taken.
    func announce(_ node: ClusterNode) -> Int? {
        state.withLockedValue { state in
            state.announced.insert(node)
            return Self.number(of: node, in: &state)
        }
    }

    private static func number(of node: ClusterNode, in state: inout State) -> Int? {
        if let number = state.nodes.firstIndex(of: node) { return number }
        guard let free = state.nodes.firstIndex(of: nil) else { return nil }
        state.nodes[free] = node
        return free
    }

    /// Releases the number of a node that has left.
    func release(_ node: ClusterNode) {
        state.withLockedValue { state in
            state.announced.remove(node)
            if let number = state.nodes.firstIndex(of: node) { state.nodes[number] = nil }
        }
    }

    /// Releases the numbers of nodes that are not in `earlier` and have not announced their sessions. Nothing else reports that such a node
    /// has ended.
    func releaseSilent(since earlier: [ClusterNode?]) {
        let known = Set(earlier.compactMap(\.self))
        state.withLockedValue { state in
            for (number, node) in state.nodes.enumerated() {
                guard let node, !known.contains(node), !state.announced.contains(node) else { continue }
                state.nodes[number] = nil
            }
        }
    }
}
