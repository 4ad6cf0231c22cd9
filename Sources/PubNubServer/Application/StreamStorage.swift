import ServerRuntime
import ServerStorage

/// The storage that all keysets of a backend share: the message store, and the source of timetokens, which order messages.
package struct StreamStorage: Sendable {
    let store: any MessageStore
    let tokens: TimetokenAllocator
    /// Identifies the message streams of this server: 1 while they continue in a durable store, otherwise a new number for each start, so
    /// that clients notice that their cursor belongs to a lost stream (rule PV-12).
    let region: Int

    init(store: any MessageStore, restored: RestoredState, unixTicks: @escaping @Sendable () -> UInt64) {
        self.store = store
        tokens = TimetokenAllocator(
            after: restored.highestTimetoken, reserves: restored.remembersStream, step: 2, unixTicks: unixTicks
        ) { try await store.reserve(timetokensUpTo: $0) }
        // Advances the timetokens to the current time. The last timetoken is the cursor of the first subscribers, so it is not before
        // the start of the server.
        _ = tokens.advance(past: tokens.now)
        // The number is the start time in milliseconds: two starts have different numbers, and numbers repeat only after 23 days.
        region = restored.remembersStream ? 1 : 2 + Int(unixTicks() / TimetokenClock.ticksPerMillisecond % 2_000_000_000)
    }
}
