import NIOConcurrencyHelpers

/// The servers that take part in one service's shared state, in the order in which they joined. May be used from any thread.
///
/// Inlinable, because the list is read for each message: otherwise each service would use unspecialized code.
@usableFromInline
package final class NodeList<Node: Sendable>: Sendable {
    @usableFromInline struct State: Sendable {
        @usableFromInline var nodes: [Node]
        /// For each node, the identity of the object that added it.
        @usableFromInline var owners: [ObjectIdentifier]

        @inlinable init() {
            (nodes, owners) = ([], [])
        }
    }

    @usableFromInline let state: NIOLockedValueBox<State>

    @inlinable package init() {
        state = NIOLockedValueBox(State())
    }

    /// All nodes in the order in which they joined. Each node applies every change of the shared state.
    @inlinable package var all: [Node] { state.withLockedValue { $0.nodes } }

    /// The node that joined first. It does the work that is needed once for all nodes, such as sending webhooks.
    @inlinable package var first: Node? { state.withLockedValue { $0.nodes.first } }

    @inlinable package func join(_ node: Node, as owner: AnyObject) {
        state.withLockedValue { state in
            state.nodes.append(node)
            state.owners.append(ObjectIdentifier(owner))
        }
    }

    @inlinable package func leave(_ owner: AnyObject) {
        state.withLockedValue { state in
            guard let index = state.owners.firstIndex(of: ObjectIdentifier(owner)) else { return }
            state.nodes.remove(at: index)
            state.owners.remove(at: index)
        }
    }
}
