import Identifiers

/// The notifications of a change that was made under an application's lock; they are sent once the lock is free.
struct PendingNotifications: Sendable {
    /// Presence events in the order of their changes. They become messages before the lock is released.
    var events: [OccupancyEvent] = []
    /// Messages that subscribers can read from now on.
    var entries: [StreamEntry<PubNubElement>] = []
    /// Channels of new messages that a replica does not keep, because no poll subscribes to these channels.
    var passed: [Identifier] = []
    /// Groups whose polls are answered even when there is no message for them.
    var changedGroups: [Identifier] = []

    var isEmpty: Bool { events.isEmpty && entries.isEmpty && passed.isEmpty && changedGroups.isEmpty }
}

/// One message as JSON for subscribe answers, encoded once for all subscribers.
struct PubNubElement: Hashable, Sendable {
    /// The JSON object up to the last fields, which depend on the subscription and are appended for each delivery.
    let shared: [UInt8]
}

/// The subscriptions whose held polls have to be checked. One event loop passes the value to the next one.
package final class PollWake: Sendable {
    /// Channels, groups and patterns whose held polls have messages to read.
    let sources: [PollSource]
    /// Groups whose held polls are answered even when there is no message for them.
    let changed: [PollSource]

    init(sources: [PollSource], changed: [PollSource]) {
        self.sources = sources
        self.changed = changed
    }
}
