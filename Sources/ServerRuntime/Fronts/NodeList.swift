import NIOConcurrencyHelpers

/// The servers that take part in one service's shared state, in the order in which they joined. May be used from any thread.
package final class NodeList<Node: Sendable>: Sendable {
    private struct State {
        var nodes: [Node] = []
        /// Whose node each of them is.
        var owners: [ObjectIdentifier] = []
    }

    private let state = NIOLockedValueBox(State())

    package init() {}

    /// All nodes. What is decided once is applied by each of them.
    package var all: [Node] { state.withLockedValue(\.nodes) }

    /// The node that does what has to be done once, such as telling webhooks: the one that has been there for the longest time.
    package var first: Node? { state.withLockedValue(\.nodes.first) }

    package func join(_ node: Node, as owner: AnyObject) {
        state.withLockedValue { state in
            state.nodes.append(node)
            state.owners.append(ObjectIdentifier(owner))
        }
    }

    package func leave(_ owner: AnyObject) {
        state.withLockedValue { state in
            guard let index = state.owners.firstIndex(of: ObjectIdentifier(owner)) else { return }
            state.nodes.remove(at: index)
            state.owners.remove(at: index)
        }
    }
}
