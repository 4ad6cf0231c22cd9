import ChatProtocol
import Identifiers
import Logging
import NIOConcurrencyHelpers
import NIOCore
import ServerCluster
import ServerRuntime
import ServerStorage

/// Appends each change to the cluster's log as one entry: the data to store, and the deliveries for the nodes (rules CC-1 and CC-2).
final class ChatClusterLog: ChatDecisionLog {
    let store: RedisChatStore
    /// Whether a database has stored each change before it is appended to this log. Redis then has only the data that the next leader
    /// needs.
    private let hasDatabase: Bool
    private let nodes: ChatNodeNumbers
    private let logger: Logger
    private let open = NIOLockedValueBox(true)
    let journal: ClusterWebhookJournal

    init(
        _ store: RedisChatStore, nodes: ChatNodeNumbers, journal: ClusterWebhookJournal, hasDatabase: Bool = false,
        logger: Logger
    ) {
        self.store = store
        self.hasDatabase = hasDatabase
        self.journal = journal
        self.nodes = nodes
        self.logger = logger
    }

    var webhooks: (any WebhookJournal)? { journal }

    var isOpen: Bool { open.withLockedValue { $0 } }

    /// Stops the log. Changes that are appended afterwards are dropped.
    func close() {
        open.withLockedValue { $0 = false }
        store.end()
    }

    func append(
        _ change: ChatChange, _ live: ChatLiveChanges, of application: ServedChatApplication, sessions: ChatNodeSessions
    ) {
        guard isOpen else { return }
        let nodes = nodes.all
        var writes: [StoreWrite] = []
        var counting: (commit: ChatCommit, application: Identifier)?
        do {
            let key = Identifier(application.key)
            writes = try hasDatabase ? store.toldWrites(for: change.commit, key) : store.writes(for: change.commit, key)
            if !hasDatabase { counting = (change.commit, key) }
        } catch {
            // This cannot happen: documents can always be encoded, and each id is assigned once.
            logger.error("a chat change could not be encoded and is not stored", metadata: ["error": "\(type(of: error))"])
        }
        if !live.isEmpty { writes += store.writes(for: live, of: Identifier(application.key), sessions: sessions, nodes: nodes) }
        var fact: (bytes: ByteBuffer, audience: ClusterAudience)?
        if !change.deliveries.isEmpty {
            var writer = ChatFactWriter(app: application.key, nodes: nodes)
            for delivery in change.deliveries { writer.add(delivery, sessions) }
            fact = writer.fact
        }
        if writes.isEmpty {
            guard let fact else { return }
            return store.output.emit(fact.bytes, of: .chat, to: fact.audience)
        }
        store.emit(writes, counting: counting, telling: fact?.bytes, to: fact?.audience ?? .all)
    }

    func whenKept(_ body: @escaping @Sendable () -> Void) {
        store.whenSettled { if $0 == nil { body() } }
    }

    /// Ends connections of a node whose sessions the leader's state does not have.
    func end(_ sessions: [UInt64], app: String, on node: ClusterNode, _ bye: ChatBye) {
        guard !sessions.isEmpty, isOpen else { return }
        var writer = ChatFactWriter(app: app, nodes: [node])
        writer.add(.end(sessions.map { ChatSessionID(id: $0, eventLoopID: 0) }, bye), ChatNodeSessions())
        guard let fact = writer.fact else { return }
        store.output.emit(fact.bytes, of: .chat, to: .node(node))
    }
}
