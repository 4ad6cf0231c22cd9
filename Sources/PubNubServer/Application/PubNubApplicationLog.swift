import Identifiers
import ServerRuntime
import ServerStorage

/// Receives the decisions of an application, in their order.
protocol PubNubApplicationLog: AnyObject, Sendable {
    /// Stores undelivered webhook events; nil when they are lost with this process.
    var webhooks: (any WebhookJournal)? { get }
    /// Called under the application's lock: must neither wait nor call the application.
    func record(_ decision: PubNubDecision, of subscribeKey: String)
    /// The timetoken of a message that is equal but for its timetoken, and that a former leader has stored without an answer to anybody
    /// (rule CR-62). Each is returned once.
    func takeUnanswered(_ message: StoredMessage, of subscribeKey: String) -> UInt64?
    /// Whether there are such messages.
    var hasUnanswered: Bool { get }
}

extension PubNubApplicationLog {
    func takeUnanswered(_ message: StoredMessage, of subscribeKey: String) -> UInt64? { nil }
    var hasUnanswered: Bool { false }
}

/// The changes of one step.
struct PubNubDecision: Sendable {
    /// Messages that have become visible, presence events among them, in the order of their timetokens.
    var messages: [StoredMessage]
    /// Changed groups, each with its complete list of channels.
    var groups: [PubNubFact.GroupContent]
    /// Changes of presence.
    var presence: [OccupancyChange]

    var isEmpty: Bool { messages.isEmpty && groups.isEmpty && presence.isEmpty }
}

extension PubNubApplication {
    /// Passes the effects of one step to the log. Called under the lock.
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
