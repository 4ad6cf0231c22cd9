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
    /// Where changes are kept and told as one; nil where they are told once the store has kept them.
    let log: (any ChatDecisionLog)?

    /// - Parameter log: keeps with each change what has to be known of the ids that were given out, so that none is reserved ahead.
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

/// An ordered log in which a change and what is told of it are kept together, or both are lost with all that follows: what has been put
/// there need not be waited for before the next thing is decided or answered.
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
