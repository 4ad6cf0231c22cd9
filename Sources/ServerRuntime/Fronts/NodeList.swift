import NIOConcurrencyHelpers

/// The servers that take part in one service's shared state, in the order in which they joined. May be used from any thread.
package final class NodeList<Node: Sendable>: Sendable {
    private let entries = NIOLockedValueBox<[(id: ObjectIdentifier, node: Node)]>([])

    package init() {}

    /// All nodes. What is decided once is applied by each of them.
    package var all: [Node] { entries.withLockedValue { $0.map(\.node) } }

    /// The node that does what has to be done once, such as telling webhooks: the one that has been there for the longest time.
    package var first: Node? { entries.withLockedValue { $0.first?.node } }

    package func join(_ node: Node, as owner: AnyObject) {
        entries.withLockedValue { $0.append((ObjectIdentifier(owner), node)) }
    }

    package func leave(_ owner: AnyObject) {
        entries.withLockedValue { $0.removeAll { $0.id == ObjectIdentifier(owner) } }
    }
}
