import RealtimeHub
import ServerRuntime

/// What all chat applications of a backend share: the store, and the ids that order events.
package struct ChatStorage: Sendable {
    let store: any ChatStore
    let ids: TimetokenAllocator
    /// Names the life of all inboxes (session document, section 1).
    let epoch: String
    /// Whether no server has begun with this store before.
    let isFirstStart: Bool
    /// The log that stores changes and publishes them in one step; nil where changes are published after the store has written them.
    let log: (any ChatDecisionLog)?

    /// - Parameter log: stores with each change the highest assigned ids, so that no ids are reserved ahead.
    init(
        store: any ChatStore, restored: RestoredChat, unixTicks: @escaping @Sendable () -> UInt64,
        log: (any ChatDecisionLog)? = nil
    ) {
        self.store = store
        self.log = log
        ids = TimetokenAllocator(after: restored.highestID, reserves: log == nil, unixTicks: unixTicks) {
            try await store.reserve(idsUpTo: $0)
        }
        epoch = restored.epoch
        isFirstStart = restored.isFirstStart
    }
}

/// An ordered log that stores a change together with its notifications: if it loses an entry, it loses all later entries as well. So
/// the next decision or answer need not wait until an entry is written.
package protocol ChatDecisionLog: AnyObject, Sendable {
    /// Keeps events of webhooks that have not arrived; nil when they end with this process.
    var webhooks: (any WebhookJournal)? { get }
    /// Takes a change. Called in the order of decisions, under the application's locks: must only queue.
    ///
    /// - Parameters:
    ///   - live: who came and went by it.
    ///   - sessions: those of the application.
    func append(
        _ change: NexconnChange, _ live: ChatLiveChanges, of application: NexconnApplication, sessions: NexconnNodeSessions)
    /// Does something once all that was put there before is kept; not at all when it is lost.
    ///
    /// - Parameter body: called in the order of the calls, from any thread, under a lock: must only queue.
    func whenKept(_ body: @escaping @Sendable () -> Void)
}
