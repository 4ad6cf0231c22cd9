import DequeModule
import Identifiers
import ServerStorage

/// The contents of the in-memory chat store: the events, inboxes and documents of all applications.
struct ChatLog: Sendable {
    private struct Name: Sendable {
        var application: Identifier
        var id: UInt64
    }

    let limits: MemoryLimits
    private(set) var applications: [Identifier: ChatStoreContents] = [:]
    /// The ids of all events in the order of their arrival. Ids of removed events may still be in the list.
    private var order = Deque<Name>()
    /// The ids of events that are in no conversation's history, in ascending order. Inboxes may still contain these events.
    private var loose = Deque<Name>()
    private var highest: UInt64 = 0
    private var count = 0
    private var bytes = 0

    init(limits: MemoryLimits) {
        self.limits = limits
    }

    /// Applies all changes of a commit, or none of them.
    ///
    /// - Returns: nil when the changes were applied; otherwise the error.
    mutating func apply(_ commit: ChatCommit, application: Identifier) -> MessageStoreError? {
        if applications[application]?.has(commit.additions) == true { return .duplicate }
        let newShelf = ChatStoreContents(inboxEntries: limits.inboxEntries)
        for addition in commit.additions {
            let name = Name(application: application, id: addition.event.id)
            bytes += applications[application, default: newShelf].add(addition)
            count += 1
            highest = max(highest, name.id)
            order.append(name)
            guard let conversation = addition.event.conversation else {
                loosen(name)
                continue
            }
            while let id = applications[application]?.excess(in: conversation, limit: limits.messagesPerChannel) {
                retire(Name(application: application, id: id))
            }
        }
        for rewrite in commit.rewrites { bytes += applications[application]?.rewrite(rewrite.id, rewrite.body) ?? 0 }
        for id in commit.recalls { retire(Name(application: application, id: id)) }
        applications[application, default: newShelf].note(commit)
        while bytes > limits.bytes, let oldest = order.popFirst() {
            guard applications[oldest.application]?.has(oldest.id) == true else { continue }
            applications[oldest.application]?.forgetInbox(before: oldest.id + 1)
            remove(oldest)
        }
        compact()
        return nil
    }

    /// Removes a message from its conversation's history. The message itself is deleted together with the last inbox entry that refers to
    /// it.
    private mutating func retire(_ name: Name) {
        if applications[name.application]?.recall(name.id) == true { loosen(name) }
    }

    private mutating func loosen(_ name: Name) {
        loose.insert(name, at: loose.firstPosition { $0.id > name.id })
    }

    private mutating func remove(_ name: Name) {
        guard let freed = applications[name.application]?.remove(name.id) else { return }
        bytes -= freed
        count -= 1
    }

    mutating func purge(inboxBefore inbox: UInt64, historyBefore history: UInt64) {
        for name in applications.keys { applications[name]?.purgeInboxes(before: inbox) }
        while let first = loose.first, first.id < inbox {
            loose.removeFirst()
            remove(first)
        }
        while let first = order.first, first.id < history {
            order.removeFirst()
            remove(first)
        }
        compact()
    }

    /// Removes the oldest messages of an application, at most 1000, from their histories.
    ///
    /// - Returns: the usage after the removal, and whether another call is needed to reach the limits.
    mutating func trim(_ application: Identifier, _ limits: HistoryLimits) -> (usage: HistoryUsage, isUnfinished: Bool) {
        var removed = 0
        for _ in 0..<1000 {
            let usage = applications[application]?.usage ?? HistoryUsage()
            guard let oldest = applications[application]?.oldest(), oldest < limits.lowest || limits.isExceeded(by: usage) else {
                return (HistoryUsage(messages: usage.messages, bytes: usage.bytes, removed: removed), false)
            }
            retire(Name(application: application, id: oldest))
            removed += 1
        }
        return (HistoryUsage(removed: removed), true)
    }

    private mutating func compact() {
        guard max(order.count, loose.count) > 2 * count + 1024 else { return }
        let applications = applications
        order = Deque(order.filter { applications[$0.application]?.has($0.id) == true })
        loose = Deque(loose.filter { applications[$0.application]?.has($0.id) == true })
    }

    func restored(epoch: String, since horizon: UInt64) -> RestoredChat {
        var restored = RestoredChat(epoch: epoch)
        restored.highestID = highest
        restored.applications = applications.mapValues { $0.restored(since: horizon) }
        return restored
    }
}
