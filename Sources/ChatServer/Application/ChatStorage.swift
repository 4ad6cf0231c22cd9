import ServerRuntime
import ServerStorage

/// The storage that all chat applications of a backend share: the store, and the source of the ids that order events.
package struct ChatStorage: Sendable {
    let store: any ChatStore
    let ids: TimetokenAllocator
    /// The name of the inboxes' present epoch (chat-protocol.md, section 1).
    let epoch: String
    /// Whether no server has used this store before.
    let isFirstStart: Bool
    /// The log that stores changes and publishes them in one step; nil where changes are published after the store has written them.
    let log: (any ChatDecisionLog)?
    /// Whether a change is appended to the log only after the store has saved it. The store then has the durable data, and the log has the
    /// deliveries.
    let storesFirst: Bool

    /// - Parameters:
    ///   - log: the log that also stores the highest assigned id with each change, so that no ids are reserved ahead; nil for none.
    ///   - share: the event ids that this process may assign. The leaders of other partitions assign the other ids (rule CC-42).
    init(
        store: any ChatStore, restored: RestoredChat, unixTicks: @escaping @Sendable () -> UInt64,
        log: (any ChatDecisionLog)? = nil, storesFirst: Bool = false, share: TimetokenShare = .all
    ) {
        self.store = store
        self.storesFirst = storesFirst
        self.log = log
        ids = TimetokenAllocator(after: restored.highestID, reserves: log == nil, share: share, unixTicks: unixTicks) {
            try await store.reserve(idsUpTo: $0)
        }
        epoch = restored.epoch
        isFirstStart = restored.isFirstStart
    }
}

/// An ordered log that stores a change together with its notifications. If the log loses an entry, it loses all later entries as well, so
/// the next decision or answer need not wait until an entry is written.
package protocol ChatDecisionLog: AnyObject, Sendable {
    /// Stores events of webhooks that have not been delivered; nil when they are lost with this process.
    var webhooks: (any WebhookJournal)? { get }
    /// Appends a change. Called in the order of decisions, under the application's locks, so it may only enqueue.
    ///
    /// - Parameters:
    ///   - live: the sessions and participants that the change adds or removes.
    ///   - sessions: the sessions of the application.
    func append(
        _ change: ChatChange, _ live: ChatLiveChanges, of application: ServedChatApplication, sessions: ChatNodeSessions)
    /// Runs a closure once all earlier entries are stored. If they are lost, the closure never runs.
    ///
    /// - Parameter body: called in the order of the calls, on any thread, under a lock, so it may only enqueue.
    func whenKept(_ body: @escaping @Sendable () -> Void)
}
