import NIOConcurrencyHelpers
import ServerRuntime

/// What the connections of all servers have to agree on: the texts for everybody, in one order, with their number.
protocol EchoBackend: AnyObject, Sendable {
    var settings: EchoSettings { get }
    /// The number of texts for everybody, of all servers.
    var total: Int { get }

    func take(_ settings: EchoSettings)
    func join(_ node: any EchoNode)
    func leave(_ node: any EchoNode)
    /// Passes a text to everybody.
    ///
    /// - Parameter completion: called once, on any thread; with false when the text reaches nobody.
    func tell(_ text: String, completion: @escaping @Sendable (Bool) -> Void)
}

/// A server that shares the state. It is called under a lock or on the event loop of the bus, so it only enqueues.
protocol EchoNode: AnyObject, Sendable {
    func apply(_ text: String)
}

/// The state in one process.
final class LocalEcho: EchoBackend {
    let nodes = NodeList<any EchoNode>()
    private let state: NIOLockedValueBox<(settings: EchoSettings, total: Int)>

    init(_ settings: EchoSettings) { state = NIOLockedValueBox((settings, 0)) }

    var settings: EchoSettings { state.withLockedValue(\.settings) }
    var total: Int { state.withLockedValue(\.total) }

    func take(_ settings: EchoSettings) { state.withLockedValue { $0.settings = settings } }
    func join(_ node: any EchoNode) { nodes.join(node, as: node) }
    func leave(_ node: any EchoNode) { nodes.leave(node) }

    func tell(_ text: String, completion: @escaping @Sendable (Bool) -> Void) {
        state.withLockedValue { state in
            state.total += 1
            for node in nodes.all { node.apply(text) }
        }
        completion(true)
    }
}
