import RealtimeHub
import ServerRuntime

/// The storage that all keysets of a backend share: the message store, and the timetokens that order messages.
package struct StreamStorage: Sendable {
    let store: any MessageStore
    let tokens: TimetokenAllocator
    /// Tells streams apart: 1 while they live on in a durable store, otherwise another number for each start, so that clients see
    /// that the stream which their cursor is from is gone (rule PV-12).
    let region: Int

    init(store: any MessageStore, restored: RestoredState, unixTicks: @escaping @Sendable () -> UInt64) {
        self.store = store
        tokens = TimetokenAllocator(
            after: restored.highestTimetoken, reserves: restored.remembersStream, step: 2, unixTicks: unixTicks
        ) { try await store.reserve(timetokensUpTo: $0) }
        // Readers begin at a point that is already past.
        _ = tokens.advance(past: tokens.now)
        // Milliseconds: no two starts share one, and the number comes again after 23 days only.
        region = restored.remembersStream ? 1 : 2 + Int(unixTicks() / TimetokenClock.ticksPerMillisecond % 2_000_000_000)
    }
}
