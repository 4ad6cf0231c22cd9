import Identifiers

/// The notifications of a change. The change is made under an application's lock, and the notifications are sent after the lock is
/// released.
struct PendingNotifications: Sendable {
    /// Presence events in the order of their changes. Before the lock is released, they are converted to messages.
    var events: [OccupancyEvent] = []
    /// Messages that subscribers can read from now on.
    var entries: [StreamEntry<PubNubElement>] = []
    /// Channels of new messages that a replica does not keep, because no poll subscribes to these channels.
    var passed: [Identifier] = []
    /// Groups that have changed. Their polls are answered even if there is no message for them.
    var changedGroups: [Identifier] = []

    var isEmpty: Bool { events.isEmpty && entries.isEmpty && passed.isEmpty && changedGroups.isEmpty }
}

/// One message as JSON for subscribe answers, encoded once for all subscribers.
struct PubNubElement: Hashable, Sendable {
    /// The JSON object without its last fields. These depend on the subscription, and are appended for each delivery.
    let shared: [UInt8]
}

/// The subscriptions whose held polls have to be checked. All event loops with such polls get the same object, one after the other.
package final class PollWake: Sendable {
    /// Channels, groups and patterns whose held polls have messages to read.
    let sources: [PollSource]
    /// Groups that have changed. Their held polls are answered even if there is no message for them.
    let changed: [PollSource]

    init(sources: [PollSource], changed: [PollSource]) {
        self.sources = sources
        self.changed = changed
    }
}
