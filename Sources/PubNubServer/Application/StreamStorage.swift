import ServerRuntime
import ServerStorage

/// The storage that all keysets of a backend share: the message store, and the source of timetokens, which order messages.
package struct StreamStorage: Sendable {
    let store: any MessageStore
    let tokens: TimetokenAllocator
    /// Identifies the message streams of this server. The number is 1 while the streams continue in a durable store. Otherwise each start
    /// has a new number, so that clients notice that their cursor belongs to a lost stream (rule PV-12).
    let region: Int

    init(store: any MessageStore, restored: RestoredState, unixTicks: @escaping @Sendable () -> UInt64) {
        self.store = store
        tokens = TimetokenAllocator(
            after: restored.highestTimetoken, reserves: restored.remembersStream, step: 2, unixTicks: unixTicks
        ) { try await store.reserve(timetokensUpTo: $0) }
        // Advances the timetokens to the current time. The first subscribers get the last timetoken as their cursor, so this must not be
        // before the start of the server.
        _ = tokens.advance(past: tokens.now)
        // The region is computed from the start time in milliseconds. Two starts have different regions, and regions repeat only after 23
        // days.
        region = restored.remembersStream ? 1 : 2 + Int(unixTicks() / TimetokenClock.ticksPerMillisecond % 2_000_000_000)
    }
}
