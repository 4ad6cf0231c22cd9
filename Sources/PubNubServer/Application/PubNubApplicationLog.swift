import Identifiers
import ServerRuntime
import ServerStorage

/// Receives the decisions of a keyset in the order in which they are made.
protocol PubNubApplicationLog: AnyObject, Sendable {
    /// Stores undelivered webhook events, so that a later process can send them; nil when these events are lost at the end of this process.
    var webhooks: (any WebhookJournal)? { get }
    /// Adds a decision. The call comes while the application's lock is held, so it must neither wait nor call the application.
    func record(_ decision: PubNubDecision, of subscribeKey: String)
    /// Finds a stored message that equals `message` except for its timetoken, and whose publisher has got no answer from a former leader
    /// (rule CR-62). Returns the timetoken of the stored message; nil when there is none. Each stored message is returned only once.
    func takeUnanswered(_ message: StoredMessage, of subscribeKey: String) -> UInt64?
    /// Whether there are stored messages whose publishers have got no answer.
    var hasUnanswered: Bool { get }
}

extension PubNubApplicationLog {
    func takeUnanswered(_ message: StoredMessage, of subscribeKey: String) -> UInt64? { nil }
    var hasUnanswered: Bool { false }
}

/// The changes of a keyset that are made during one period in which its lock is held.
struct PubNubDecision: Sendable {
    /// Messages that subscribers can read from now on, including presence events, in the order of their timetokens.
    var messages: [StoredMessage]
    /// Changed groups, each with its complete list of channels.
    var groups: [PubNubFact.GroupContent]
    /// Changes of presence.
    var presence: [OccupancyChange]

    var isEmpty: Bool { messages.isEmpty && groups.isEmpty && presence.isEmpty }
}

extension PubNubApplication {
    /// Passes to the log the changes that were made while the keyset's lock is held. Call it before the lock is released.
    func record(_ pending: PendingNotifications, _ state: inout State, in log: any PubNubApplicationLog) {
        let decision = PubNubDecision(
            messages: pending.entries.map(\.message),
            groups: pending.changedGroups.map {
                PubNubFact.GroupContent(name: $0, channels: state.groups.channels(of: $0))
            },
            presence: state.occupancy.takeChanges())
        if !decision.isEmpty { log.record(decision, of: subscribeKey) }
    }
}
