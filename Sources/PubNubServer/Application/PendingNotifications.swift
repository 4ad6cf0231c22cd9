import Identifiers
import RealtimeHub

/// The notifications of a change that was made under an application's lock; they are sent once the lock is free.
struct PendingNotifications: Sendable {
    /// Presence events, in their order; they become messages before the lock is given back.
    var events: [OccupancyEvent] = []
    /// Messages that have become visible.
    var entries: [StreamEntry<PubNubElement>] = []
    /// Groups whose polls are answered even without messages.
    var changedGroups: [Identifier] = []

    var isEmpty: Bool { events.isEmpty && entries.isEmpty && changedGroups.isEmpty }
}

/// The part that all deliveries of a message have in common: its element of a subscribe answer, encoded once.
struct PubNubElement: Hashable, Sendable {
    /// The element without its end, which depends on the subscription.
    let shared: [UInt8]
}

/// Polls to check, for one event loop after the other.
package final class PollWake: Sendable {
    /// Held polls of these have something to read.
    let sources: [PollSource]
    /// Held polls of these are answered in any case.
    let changed: [PollSource]

    init(sources: [PollSource], changed: [PollSource]) {
        self.sources = sources
        self.changed = changed
    }
}
