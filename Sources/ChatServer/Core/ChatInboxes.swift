import ChatProtocol
import Identifiers
import ServerStorage

/// The position at which a session starts to read its user's inbox (chat-protocol.md 2 and 4).
package struct ChatInboxStart: Hashable, Sendable {
    /// The inbox position after which events have to be delivered to the device.
    package var after: UInt64
    /// The last position that was assigned in the inbox.
    package var last: UInt64
    /// Whether reading resumes at the position that the device sent.
    package var isResumed: Bool
    /// Whether the device sent a position that is not valid in this inbox. The device may have missed events.
    package var hasLost: Bool

    package init(after: UInt64, last: UInt64, isResumed: Bool, hasLost: Bool) {
        self.after = after
        self.last = last
        self.isResumed = isResumed
        self.hasLost = hasLost
    }

    /// Whether entries after `after` are lost. `firstKept` is the first entry after `after` that the store still has. Positions have no
    /// gaps, so a gap means that entries were purged (rule CH-23).
    package func hasLost(firstKept: UInt64?) -> Bool {
        guard isResumed, after < last else { return hasLost }
        return firstKept.map { $0 > after + 1 } ?? true
    }
}

/// The last assigned and the acknowledged position of each inbox (rules CH-20 to CH-24). The entries are in the store.
struct ChatInboxes: Sendable {
    struct Inbox: Hashable, Sendable {
        var last: UInt64 = 0
        var acknowledged: UInt64 = 0
    }

    private(set) var inboxes: [Identifier: Inbox] = [:]
    /// The position after which inboxes assign new positions (rule CH-26).
    private let base: UInt64

    init(epoch: String) {
        base = ChatEpoch(epoch).base
    }

    var count: Int { inboxes.count }

    func contains(_ user: Identifier) -> Bool { inboxes[user] != nil }

    /// Assigns the next position in the inbox of each recipient.
    mutating func place(_ recipients: some Collection<Identifier>, skipping skipped: Identifier?) -> [ChatInboxPlace] {
        var places: [ChatInboxPlace] = []
        places.reserveCapacity(recipients.count)
        for user in recipients where user != skipped {
            places.append(ChatInboxPlace(user: user, sequence: next(user)))
        }
        return places
    }

    private mutating func next(_ user: Identifier) -> UInt64 {
        func step(_ inbox: inout Inbox) -> UInt64 {
            inbox.last = max(inbox.last, base) + 1
            return inbox.last
        }
        return step(&inboxes[user, default: Inbox()])
    }

    /// Records an acknowledgement, at most up to the last assigned position. Returns nil when this changes nothing.
    mutating func acknowledge(_ sequence: UInt64, by user: Identifier) -> ChatInboxPlace? {
        guard let index = inboxes.index(forKey: user) else { return nil }
        let place = min(sequence, inboxes.values[index].last)
        guard place > inboxes.values[index].acknowledged else { return nil }
        inboxes.values[index].acknowledged = place
        return ChatInboxPlace(user: user, sequence: place)
    }

    func start(of user: Identifier, resume: ChatPlace?, epoch: String, getsEverything: Bool) -> ChatInboxStart {
        let inbox = inboxes[user] ?? Inbox()
        let end = max(inbox.last, base)
        if let resume, resume.epoch.isExactly(epoch), resume.sequence <= end {
            return ChatInboxStart(after: resume.sequence, last: inbox.last, isResumed: true, hasLost: false)
        }
        // The position is from before a loss of data. The stored events after it are delivered, each once, and the welcome reports the
        // loss.
        if let resume, ChatEpoch(epoch).continues(resume.epoch), resume.sequence <= end {
            return ChatInboxStart(after: resume.sequence, last: inbox.last, isResumed: false, hasLost: true)
        }
        return ChatInboxStart(
            after: getsEverything ? 0 : inbox.acknowledged, last: inbox.last, isResumed: false, hasLost: resume != nil)
    }

    mutating func restore(_ user: Identifier, last: UInt64, acknowledged: UInt64) {
        inboxes[user] = Inbox(last: last, acknowledged: min(acknowledged, last))
    }
}
