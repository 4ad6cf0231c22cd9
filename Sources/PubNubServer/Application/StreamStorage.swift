import ServerRuntime
import ServerStorage

/// The storage that all keysets of a backend share: the message store, and the timetokens that order messages.
package struct StreamStorage: Sendable {
    let store: any MessageStore
    let tokens: TimetokenAllocator
    /// Identifies streams: 1 while they continue in a durable store, otherwise a different number for each start, so that clients
    /// notice that the stream of their cursor is gone (rule PV-12).
    let region: Int

    init(store: any MessageStore, restored: RestoredState, unixTicks: @escaping @Sendable () -> UInt64) {
        self.store = store
        tokens = TimetokenAllocator(
            after: restored.highestTimetoken, reserves: restored.remembersStream, step: 2, unixTicks: unixTicks
        ) { try await store.reserve(timetokensUpTo: $0) }
        // Readers begin at a timetoken in the past.
        _ = tokens.advance(past: tokens.now)
        // The start time in milliseconds: no two starts share a number, and numbers repeat only after 23 days.
        region = restored.remembersStream ? 1 : 2 + Int(unixTicks() / TimetokenClock.ticksPerMillisecond % 2_000_000_000)
    }
}
