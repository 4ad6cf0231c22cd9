import Identifiers
import NIOCore
import NexconnProtocol
import RealtimeHub
import ServerRuntime
import ServerValues

/// The state of chat that all servers of a backend share. The servers themselves are its nodes (``ChatNode``).
///
/// An implementation has three duties, and each of them has one place:
/// - **Commits.** Everything that changes something is one call of ``NexconnApplication/change(_:completion:)``. It is decided in one
///   order for each application, and kept by the store.
/// - **Changes.** Once a commit is durable, its ``NexconnDelivery`` values are given to every node in the order of decisions. They
///   name sessions and users, never an object of a node.
/// - **Reads.** ``NexconnApplication/read(_:)`` looks at the copy of the state that is at hand and waits for nobody.
package protocol ChatBackend: AnyObject, Sendable {
    /// Those that are decided about in this process: those that are configured, and those that were and are not served any more.
    var applications: [NexconnApplication] { get }
    /// The application that serves calls with this key, if it is decided about in this process.
    func application(key: Identifier) -> NexconnApplication?
    /// The gateway for sessions of the application with this key.
    func gateway(key: Identifier) -> (any NexconnGateway)?
    /// Forwards calls that do not come from sessions; nil where this process decides.
    var forwarder: (any ChatForwarder)? { get }
    /// A name for a new session, which no other session of the backend has.
    ///
    /// - Parameter eventLoopID: the number of its event loop among those of all nodes.
    func newSession(on eventLoopID: Int) -> ChatSession

    /// Has the store promise ids. To be called before the first request.
    func prepare() async throws
    /// Adds a node, which applies changes from now on.
    func join(_ node: any ChatNode)
    /// Signs out the remaining sessions of the node. Tasks that one node does for all continue at the next node. Returns when all
    /// effects of the node's sessions are done.
    func leave(_ node: any ChatNode) async
    /// Whether a node is the one that sends webhooks, or was the last one to do so.
    func tellsWebhooks(_ node: any ChatNode) -> Bool
    /// Lets time pass for the shared state. Each node calls it; it counts for one of them.
    func sweep(by node: any ChatNode)

    /// Prepares a change of the applications. Changes nothing yet.
    ///
    /// - Throws: when the store does not say what it remembers of a new application.
    func prepare(_ settings: [ChatApplication]) async throws -> ChatReload
    /// Serves these applications from now on, and no others. Of several with the same key the first one counts (rule NV-70).
    func take(_ reload: ChatReload)
}

/// The way to the process that decides, for what comes from elsewhere than sessions. May be used from any thread.
package protocol ChatForwarder: AnyObject, Sendable {
    /// Has a call of the server API answered.
    ///
    /// - Parameter reply: called once, from any thread.
    func answer(_ request: HTTPRequest, reply: @escaping @Sendable (HTTPAnswer) -> Void)
    /// Registers a user and gives out a token that is known by its hash.
    func issueToken(hash: Identifier, app: String, user: Identifier, name: String?) async throws(ChatTokenProblem)
    /// Sends a message of another service to an open channel.
    func publish(_ draft: NexconnDraft, from service: String, as user: Identifier, to key: String)
}

/// A server that takes part in the shared state of chat: it has sessions, and delivers decided changes to them.
package protocol ChatNode: AnyObject, Sendable {
    /// The node's event loops. A session belongs to the node that has its event loop.
    var eventLoopIDs: EventLoopSet { get }
    /// The event loop for tasks that one node does for all, such as sending webhooks; nil for a node that has none.
    var eventLoop: (any EventLoop)? { get }

    /// Tells the node's sessions what has been decided. Called in the order of decisions, under the application's lock: must only
    /// queue work.
    ///
    /// - Parameters:
    ///   - changes: of one commit, which is durable.
    ///   - application: its ``NexconnApplication/number``.
    ///   - sessions: those of the application that the node has.
    func apply(_ changes: [NexconnDelivery], of application: Int, to sessions: inout NexconnNodeSessions)
    /// Counts a message that the node took, once it is durable.
    func countMessage(of application: NexconnApplication)
    /// Counts a message that the node took and another process decided about.
    func countMessage(at slot: MetricSlot)
    /// Shows a frame that participants of an open channel receive in the live feed of the node.
    func show(_ frame: ByteBuffer, in channel: Identifier, of key: String)
}

extension ChatNode {
    package func countMessage(at slot: MetricSlot) {}
    package func show(_ frame: ByteBuffer, in channel: Identifier, of key: String) {}
}
