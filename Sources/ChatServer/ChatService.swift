import ChatProtocol
import Identifiers
import Logging
import NIOConcurrencyHelpers
import NIOCore
import ServerRuntime
import ServerStorage
import ServerValues

/// The settings of the chat service. Sizes are in bytes.
package struct ChatServiceSettings: Sendable {
    /// The applications. If several have the same key, the first one is used.
    package var applications: [ChatApplication]
    /// The time without a message from a client after which the server sends a ping. If the server receives nothing within 10 s after the
    /// ping, it closes the connection.
    package var chatHeartbeat: Duration
    /// The key of the application whose open channels are shared with other services; nil for none.
    package var bridgedKey: String?

    package init(
        applications: [ChatApplication], chatHeartbeat: Duration, bridgedKey: String? = nil
    ) {
        self.applications = applications
        self.chatHeartbeat = chatHeartbeat
        self.bridgedKey = bridgedKey
    }
}

extension ServiceName {
    package static let chat = ServiceName(rawValue: "chat")
}

/// The chat service of one server: its sessions, and calls of the server API. The server may share the applications with other servers.
package final class ChatService: Sendable {
    let context: ServerContext
    let settings: ChatServiceSettings
    let backend: any ChatStateBackend
    let mailboxes: [EventLoopMailbox<ChatLoop>]
    let webSockets: WebSocketService
    let requestKind: RequestKind
    let messageCounts = NIOLockedValueBox(ApplicationCounts())
    private let loopRefusals: [NIOLockedValueBox<Int>]

    /// - Parameter backend: the state that the servers share. Its applications are used, not those of `settings`.
    package init(_ settings: ChatServiceSettings, _ context: ServerContext, backend: any ChatStateBackend) {
        self.context = context
        self.settings = settings
        self.backend = backend
        let loopRefusals = context.loops.map { _ in NIOLockedValueBox(0) }
        self.loopRefusals = loopRefusals
        mailboxes = zip(context.loops, loopRefusals).map { EventLoopMailbox($0.queue, ChatLoop($0, $1)) }
        webSockets = WebSocketService(
            context, of: .chat, messageBytes: ChatWire.maximumFrameBytes, silence: settings.chatHeartbeat,
            pongTimeout: .seconds(10))
        requestKind = context.requestKinds.add("chat")
    }

    /// Reserves the first ids of events in the store, and joins the other servers. Call it before the first request, and call ``close()``
    /// at the end.
    package func prepare() async throws {
        try await backend.prepare()
        backend.join(self)
    }

    var applications: [ServedChatApplication] { backend.applications }

    /// The application that serves sessions and calls with this key.
    func application(key: String) -> ServedChatApplication? {
        backend.application(key: Identifier(key))
    }

    /// The gateway for sessions of the application with this key; nil if the application is unknown.
    func gateway(key: String) -> (any ChatGateway)? {
        backend.gateway(key: Identifier(key))
    }

    /// Makes the id of a new session on an event loop.
    func newSession(on loop: EventLoopContext) -> ChatSessionID {
        backend.newSession(on: loop.queue.eventLoopID)
    }

    /// The number of frames that were refused before they reached an application. Each event loop updates its share of the number once per
    /// turn.
    package var framesRefused: Int { loopRefusals.reduce(0) { $0 + $1.withLockedValue { $0 } } }

    /// Registers a user of an application, or updates the user's name, and issues a token. Returns the token once it is stored.
    package func issueToken(app: String, user: String, name: String?) async throws(ChatTokenProblem) -> String {
        let token = ServedChatApplication.newToken()
        let hash = ServedChatApplication.hash(ofToken: token)
        if let forwarder = backend.forwarder {
            try await forwarder.issueToken(hash: hash, app: app, user: Identifier(user), name: name)
            return token
        }
        guard let application = application(key: app) else { throw .unknownApplication }
        let result: Result<String, ChatRequestRefusal> = await withCheckedContinuation { continuation in
            application.change(
                { state, change in
                    try state.issueToken(
                        hash: hash, to: Identifier(user), name: name, avatar: nil, at: change.now, into: &change.commit)
                    return token
                },
                completion: { continuation.resume(returning: $0) })
        }
        switch result {
        case .success(let token): return token
        case .failure(let refusal): throw refusal.code == .storageFailed ? .notStored : .invalid(refusal.reason)
        }
    }

    /// Asks all sessions of this server to reconnect, each after a different delay.
    package func drainSessions() {
        for mailbox in mailboxes { mailbox.enqueue(.drain) }
    }

    /// The number of messages that this server has accepted since its start and that were stored.
    package var messages: Int { messageCounts.withLockedValue(\.total) }

    /// Runs the time-dependent work of all applications, such as the end of bans and grace periods.
    package func sweep() {
        backend.sweep(by: self)
    }

    /// The delivery counts of applications that have a webhook; empty when another server sends their events.
    package var webhookCounts: [WebhookReport.Name: WebhookDelivery.Counts] {
        guard backend.tellsWebhooks(self) else { return [:] }
        return applications.reduce(into: [:]) { counts, application in
            guard let events = application.webhooks.counts else { return }
            counts[.init(context.names.counted(application.name)), default: .init()] += events
        }
    }

    /// Leaves the other servers. The last server stores all queued changes and sends all queued events before it leaves.
    package func close() async {
        await backend.leave(self)
    }
}

extension ChatService: ChatNode {
    package var eventLoopIDs: EventLoopSet { context.eventLoopIDs }
    package var eventLoop: (any EventLoop)? { mailboxes.first?.queue.eventLoop }

    package func apply(_ changes: [ChatDelivery], of application: Int, to sessions: inout ChatNodeSessions) {
        for change in changes { sessions.apply(change, of: application, mailboxes: mailboxes) }
    }

    package func countMessage(of application: ServedChatApplication) {
        countMessage(at: application.slot)
    }

    package func countMessage(at slot: MetricSlot) {
        messageCounts.withLockedValue { $0[slot] += 1 }
    }
}
