import RealtimeHub
import ServerRuntime

/// What all chat applications of a backend share: the store, and the ids that order events.
package struct ChatStorage: Sendable {
    let store: any ChatStore
    let ids: TimetokenAllocator
    /// Names the life of all inboxes (session document, section 1).
    let epoch: String

    init(store: any ChatStore, restored: RestoredChat, unixTicks: @escaping @Sendable () -> UInt64) {
        self.store = store
        ids = TimetokenAllocator(after: restored.highestID, unixTicks: unixTicks) { try await store.reserve(idsUpTo: $0) }
        epoch = restored.epoch
    }
}
