import DequeModule
import Identifiers
import ServerStorage

/// The events, inboxes and documents of one chat application, in memory.
struct ChatStoreContents: Sendable {
    private struct Kept: Sendable {
        var event: ChatEvent
        /// The event's position in the sender's inbox; nil when it is not in that inbox.
        var ownSequence: UInt64?
        var places: Int

        /// The approximate memory of the event and its inbox entries in bytes.
        var cost: Int { event.body.count + 24 * places + 300 }
    }

    private struct Inbox: Sendable {
        /// The inbox's entries, sorted by position and also by event id. The events of some of the oldest entries may already be removed.
        var entries = Deque<(sequence: UInt64, id: UInt64)>()
        var last: UInt64 = 0
        var acknowledged: UInt64 = 0

        mutating func dropFirst(before id: UInt64) {
            while let first = entries.first, first.id < id { entries.removeFirst() }
        }
    }

    /// The largest number of entries in an inbox. The oldest entries beyond it are removed.
    private let inboxEntries: Int
    private var events: [UInt64: Kept] = [:]
    /// The ids of the messages in each conversation's history, in ascending order. No list is empty.
    private var conversations: [Identifier: Deque<UInt64>] = [:]
    private var inboxes: [Identifier: Inbox] = [:]
    /// The lowest event id that inboxes can contain. Entries for lower ids were removed.
    private var inboxFloor: UInt64 = 0
    private var receipts: [UInt64: [ChatReceipt]] = [:]
    /// For each message id, the users who have hidden the message.
    private var hidden: [UInt64: Set<Identifier>] = [:]
    /// For each user and conversation, the message id up to which the user has hidden all messages.
    private var hiddenUpTo: [Identifier: [Identifier: UInt64]] = [:]
    private var documents: [ChatDocument.Key: ChatDocument] = [:]
    /// The number and bytes of the messages in all histories together.
    private(set) var usage = HistoryUsage()
    /// The ids of the messages in all histories, in ascending order. Ids of removed messages may still be in the list.
    private var order = Deque<UInt64>()

    init(inboxEntries: Int) {
        self.inboxEntries = inboxEntries
    }

    func has(_ id: UInt64) -> Bool { events[id] != nil }

    func has(_ additions: [ChatCommit.Addition]) -> Bool { additions.contains { events[$0.event.id] != nil } }
}

// MARK: - Changing

extension ChatStoreContents {
    /// Adds an event, its history entry and its inbox entries.
    ///
    /// - Returns: the added memory in bytes.
    mutating func add(_ addition: ChatCommit.Addition) -> Int {
        let event = addition.event
        let own = addition.places.first { $0.user == event.sender }?.sequence
        let kept = Kept(event: event, ownSequence: own, places: addition.places.count)
        events[event.id] = kept
        if let conversation = event.conversation {
            Self.insert(event.id, into: &conversations[conversation, default: []])
            Self.insert(event.id, into: &order)
            usage.messages += 1
            usage.bytes += event.body.count
        }
        for place in addition.places {
            inboxes[place.user, default: Inbox()].dropFirst(before: inboxFloor)
            inboxes[place.user, default: Inbox()].entries.append((place.sequence, event.id))
            inboxes[place.user, default: Inbox()].last = place.sequence
            while let count = inboxes[place.user]?.entries.count, count > inboxEntries {
                inboxes[place.user]?.entries.removeFirst()
            }
        }
        return kept.cost
    }

    /// Replaces the body of a message.
    ///
    /// - Returns: the number of bytes by which the message has grown; negative when it has become shorter.
    mutating func rewrite(_ id: UInt64, _ body: [UInt8]) -> Int {
        guard let index = events.index(forKey: id) else { return 0 }
        let before = events.values[index].cost
        if events.values[index].event.conversation != nil { usage.bytes += body.count - events.values[index].event.body.count }
        events.values[index].event.body = body
        return events.values[index].cost - before
    }

    /// Removes a message from its history.
    ///
    /// - Returns: whether the message was in a history.
    mutating func recall(_ id: UInt64) -> Bool {
        guard let index = events.index(forKey: id), let conversation = events.values[index].event.conversation else {
            return false
        }
        removeFromHistory(events.values[index].event, conversation)
        events.values[index].event.conversation = nil
        forgetReaders(of: id)
        return true
    }

    private func isInHistory(_ id: UInt64) -> Bool { events[id]?.event.conversation != nil }

    /// The id of the oldest message in all histories; nil when all are empty.
    mutating func oldest() -> UInt64? {
        while let first = order.first, !isInHistory(first) { order.removeFirst() }
        return order.first
    }

    /// The id of a conversation's oldest message if the history has more messages than `limit`; otherwise nil.
    func excess(in conversation: Identifier, limit: Int) -> UInt64? {
        guard let all = conversations[conversation], all.count > limit else { return nil }
        return all.first
    }

    /// Applies the parts of a commit other than new events, rewrites and recalls, such as receipts and documents.
    mutating func note(_ commit: ChatCommit) {
        for item in commit.hidden where has(item.id) { hidden[item.id, default: []].insert(item.user) }
        for item in commit.hiddenUpTo where conversations[item.conversation] != nil {
            let former = hiddenUpTo[item.user]?[item.conversation] ?? 0
            hiddenUpTo[item.user, default: [:]][item.conversation] = max(former, item.id)
        }
        for (id, receipt) in commit.receipts where has(id) && receipts[id]?.contains(where: { $0.user == receipt.user }) != true {
            receipts[id, default: []].append(receipt)
        }
        for place in commit.acknowledged {
            let former = inboxes[place.user]?.acknowledged ?? 0
            inboxes[place.user, default: Inbox()].acknowledged = max(former, place.sequence)
        }
        for document in commit.documents { documents[document.key] = document }
        for key in commit.removedDocuments { documents[key] = nil }
    }

    /// Removes an event from memory.
    ///
    /// - Returns: the number of freed bytes; nil when the event was already removed.
    mutating func remove(_ id: UInt64) -> Int? {
        guard let kept = events.removeValue(forKey: id) else { return nil }
        if let conversation = kept.event.conversation { removeFromHistory(kept.event, conversation) }
        forgetReaders(of: id)
        return kept.cost
    }

    mutating func forgetInbox(before id: UInt64) { inboxFloor = max(inboxFloor, id) }

    mutating func purgeInboxes(before id: UInt64) {
        forgetInbox(before: id)
        for index in inboxes.values.indices { inboxes.values[index].dropFirst(before: inboxFloor) }
    }

    private mutating func forgetReaders(of id: UInt64) {
        receipts[id] = nil
        hidden[id] = nil
    }

    private mutating func removeFromHistory(_ event: ChatEvent, _ conversation: Identifier) {
        let id = event.id
        usage.messages -= 1
        usage.bytes -= event.body.count
        if order.count > 2 * usage.messages + 1024 { order = Deque(order.filter { $0 != id && isInHistory($0) }) }
        guard let index = conversations.index(forKey: conversation) else { return }
        let position = conversations.values[index].firstPosition { $0 >= id }
        guard position < conversations.values[index].count, conversations.values[index][position] == id else { return }
        conversations.values[index].remove(at: position)
        if conversations.values[index].isEmpty { conversations.remove(at: index) }
    }

    /// Inserts an id into an ascending list. The search begins at the end, because ids arrive nearly in order.
    private static func insert(_ id: UInt64, into all: inout Deque<UInt64>) {
        var index = all.count
        while index > 0, all[index - 1] > id { index -= 1 }
        all.insert(id, at: index)
    }
}

// MARK: - Reading

extension ChatStoreContents {
    func inbox(of user: Identifier, after sequence: UInt64, limit: Int) -> [ChatInboxEntry] {
        guard limit > 0, let entries = inboxes[user]?.entries else { return [] }
        var page: [ChatInboxEntry] = []
        for entry in entries[entries.firstPosition { $0.sequence > sequence }...] where entry.id >= inboxFloor {
            guard let kept = events[entry.id] else { continue }
            page.append(ChatInboxEntry(sequence: entry.sequence, body: kept.event.body))
            if page.count == limit { break }
        }
        return page
    }

    func history(_ query: ChatHistoryQuery) -> [ChatEvent] {
        guard query.limit > 0, let all = conversations[query.conversation] else { return [] }
        let floor = query.viewer.flatMap { hiddenUpTo[$0]?[query.conversation] } ?? 0
        let lower = all.firstPosition { $0 > max(query.after ?? 0, floor) }
        let upper = query.before.map { before in all.firstPosition { $0 >= before } } ?? all.count
        let ids = all[lower..<max(lower, upper)].lazy.filter { id in
            guard let viewer = query.viewer else { return true }
            return hidden[id]?.contains(viewer) != true && events[id]?.event.isVisible(to: viewer) != false
        }
        let page = query.isOldestFirst ? Array(ids.prefix(query.limit)) : Array(ids.reversed().prefix(query.limit))
        return page.compactMap { events[$0]?.event }
    }

    func event(_ id: UInt64, in conversation: Identifier) -> ChatEvent? {
        guard let event = events[id]?.event, event.conversation == conversation else { return nil }
        return event
    }

    func receipts(of ids: [UInt64]) -> [UInt64: [ChatReceipt]] {
        ids.reduce(into: [:]) { found, id in found[id] = receipts[id] }
    }

    func restored(since horizon: UInt64) -> RestoredChat.Application {
        RestoredChat.Application(
            documents: Array(documents.values),
            inboxes: inboxes.mapValues { ($0.last, $0.acknowledged) },
            recentSends: events.values
                .filter { $0.event.id > horizon }
                .sorted { $0.event.id < $1.event.id }
                .compactMap { kept in
                    kept.event.clientID.map { (kept.event.sender, $0, kept.event.id, kept.ownSequence) }
                })
    }
}

extension Deque {
    /// The index of the first element for which `isBeyond` is true, or the number of elements when there is none. `isBeyond` must be true
    /// for all elements after that element.
    func firstPosition(where isBeyond: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if isBeyond(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
