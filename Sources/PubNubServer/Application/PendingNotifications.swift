import Identifiers

/// The notifications of a change that was made under an application's lock; they are sent once the lock is free.
struct PendingNotifications: Sendable {
    /// Presence events in order; they become messages before the lock is released.
    var events: [OccupancyEvent] = []
    /// Messages that have become visible.
    var entries: [StreamEntry<PubNubElement>] = []
    /// Channels of messages that have become visible and that a replica does not keep.
    var passed: [Identifier] = []
    /// Groups whose polls are answered even without messages.
    var changedGroups: [Identifier] = []

    var isEmpty: Bool { events.isEmpty && entries.isEmpty && passed.isEmpty && changedGroups.isEmpty }
}

/// The encoded element of a subscribe answer that is the same for all deliveries of a message.
struct PubNubElement: Hashable, Sendable {
    /// The element without its end, which depends on the subscription.
    let shared: [UInt8]
}

/// Polls to check, passed from one event loop to the next.
package final class PollWake: Sendable {
    /// Sources whose held polls have messages to read.
    let sources: [PollSource]
    /// Sources whose held polls are answered even without messages.
    let changed: [PollSource]

    init(sources: [PollSource], changed: [PollSource]) {
        self.sources = sources
        self.changed = changed
    }
}
