import ChatProtocol
import Identifiers
import NIOCore
import ServerRuntime
import ServerStorage
import ServerValues

/// The state of chat that all servers of a backend share. The servers are its nodes (``ChatNode``).
///
/// An implementation has three duties, each with one entry point:
/// - **Commits.** Every change is one call of ``ServedChatApplication/change(_:completion:)``. The changes of each application are
///   decided one after the other, and the store saves them.
/// - **Changes.** Once a commit is durable, its ``ChatDelivery`` values are passed to every node in the order of decisions. They
///   refer to sessions and users, never to objects of a node.
/// - **Reads.** ``ServedChatApplication/read(_:)`` reads the state in this process without waiting.
package protocol ChatStateBackend: AnyObject, Sendable {
    /// The applications whose requests this process decides, including those that are no longer configured.
    var applications: [ServedChatApplication] { get }
    /// The application that serves calls with this key. Nil if the key is unknown, or if another process decides the application's
    /// requests.
    func application(key: Identifier) -> ServedChatApplication?
    /// The gateway for sessions of the application with this key.
    func gateway(key: Identifier) -> (any ChatGateway)?
    /// Forwards calls that do not come from sessions; nil when this process itself decides the requests of all applications.
    var forwarder: (any ChatForwarder)? { get }
    /// Makes an identity for a new session that no other session of the backend has.
    ///
    /// - Parameter eventLoopID: the number of its event loop, counted across all nodes.
    func newSession(on eventLoopID: Int) -> ChatSessionID

    /// Reserves the first ids of events in the store. Call it before the first request.
    func prepare() async throws
    /// Adds a node, which delivers changes to its sessions from now on.
    func join(_ node: any ChatNode)
    /// Removes a node and signs out its remaining sessions. If this node did the work that one node does for all nodes, such as sending
    /// webhooks, the next node takes over this work. Returns when all effects of the sign-outs are done.
    func leave(_ node: any ChatNode) async
    /// Whether this node sends the webhooks, or was the last one to send them.
    func tellsWebhooks(_ node: any ChatNode) -> Bool
    /// Runs the time-dependent work of the shared state. Every node calls it; only the call of one node has an effect.
    func sweep(by node: any ChatNode)

    /// Prepares a change of the applications without applying it.
    ///
    /// - Throws: an error when the store cannot restore a new application.
    func prepare(_ settings: [ChatApplication]) async throws -> ChatReload
    /// Serves exactly these applications from now on. If several applications have the same key, the first one is used (rule NV-70).
    func take(_ reload: ChatReload)
}

/// Forwards calls that do not come from sessions to the process that decides the requests of their application. May be used from any
/// thread.
package protocol ChatForwarder: AnyObject, Sendable {
    /// Forwards a call of the server API.
    ///
    /// - Parameter reply: called once, on any thread.
    func answer(_ request: HTTPRequest, reply: @escaping @Sendable (HTTPAnswer) -> Void)
    /// Registers a user, and issues the token whose hash is given.
    func issueToken(hash: Identifier, app: String, user: Identifier, name: String?) async throws(ChatTokenProblem)
    /// Sends a message of another service to an open channel.
    func publish(_ draft: ChatMessageDraft, from service: String, as user: Identifier, to key: String)
}

/// A server that shares the state of chat. It has sessions, and delivers changes to them.
package protocol ChatNode: AnyObject, Sendable {
    /// The node's event loops. A session belongs to the node of its event loop.
    var eventLoopIDs: EventLoopSet { get }
    /// The event loop for work that one node does for all, such as sending webhooks; nil for a node without one.
    var eventLoop: (any EventLoop)? { get }

    /// Delivers decided changes to the node's sessions. Called in the order of decisions, under the application's lock, so it may
    /// only enqueue work.
    ///
    /// - Parameters:
    ///   - changes: the deliveries of one durable commit.
    ///   - application: the ``ServedChatApplication/number`` of the application.
    ///   - sessions: the application's sessions on this node.
    func apply(_ changes: [ChatDelivery], of application: Int, to sessions: inout ChatNodeSessions)
    /// Counts, in the node's metrics, a message that the node has accepted, once the message is durable.
    func countMessage(of application: ServedChatApplication)
    /// Counts, in the node's metrics, a message that the node has accepted and the leader of the cluster has stored. `slot` is the index of
    /// the application's counters.
    func countMessage(at slot: MetricSlot)
    /// Shows a message for participants of an open channel in the live feed of the node's console.
    func show(_ frame: ByteBuffer, in channel: Identifier, of key: String)
}

extension ChatNode {
    package func countMessage(at slot: MetricSlot) {}
    package func show(_ frame: ByteBuffer, in channel: Identifier, of key: String) {}
}
