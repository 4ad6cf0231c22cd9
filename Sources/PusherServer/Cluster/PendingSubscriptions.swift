import DequeModule
import NIOCore

/// The limits of a node's subscriptions that wait for the leader's answer.
package struct PendingLimits: Hashable, Sendable {
    /// The largest number of subscriptions that are sent and not yet answered. The leader handles that many at once, in far less than a
    /// second.
    package var window: Int
    /// The largest number of subscriptions in one request.
    package var batch: Int
    /// The number of waiting subscriptions of a connection at which the server stops reading from that connection.
    package var ahead: Int
    /// When the total number of waiting subscriptions reaches this value, the server stops reading from every connection that has a waiting
    /// subscription.
    package var comfortable: Int
    /// The largest total number of waiting subscriptions; further ones are refused.
    package var most: Int

    package init(
        window: Int = 1_024, batch: Int = 128, ahead: Int = 256, comfortable: Int = 65_536, most: Int = 262_144
    ) {
        self.window = window
        self.batch = batch
        self.ahead = ahead
        self.comfortable = comfortable
        self.most = most
    }
}

/// Subscriptions that the leader has not answered yet. A value without locks and clocks.
///
/// Subscriptions wait in one queue for each connection until fewer than ``PendingLimits/window`` are unanswered; the queues are served in
/// rotation. When a connection leaves a channel, its waiting subscription is cancelled: an unsent one is dropped, and a sent one is ended
/// after the leader's confirmation.
struct PendingSubscriptions: Sendable {
    typealias Completion = @Sendable (Result<SubscriptionGrant, SubscribeRefusal>) -> Void

    struct Key: Hashable, Sendable {
        var socketID: SocketID
        var channel: ChannelID
    }

    struct Entry: Sendable {
        let number: UInt64
        let subscription: ChannelSubscription
        let completion: Completion
        fileprivate(set) var wasSent = false

        var key: Key { Key(socketID: subscription.subscriber.socketID, channel: subscription.channel) }
    }

    private struct Wait {
        var key: Key
        var number: UInt64
        var since: NIODeadline
    }

    /// The unsent subscriptions of a connection, including cancelled ones.
    private struct Queue {
        var waits: Deque<Wait> = []
        var live = 0
    }

    private var entries: [Key: Entry] = [:]
    private var queues: [SocketID: Queue] = [:]
    /// The connections with unsent subscriptions, in the order in which their queues are served. Connections without a queue may still be
    /// listed.
    private var turns: Deque<SocketID> = []
    /// Waiting subscriptions in the order of their arrival. Subscriptions that were answered or cancelled may still be listed.
    private var waits: Deque<Wait> = []
    /// The subscriptions that were sent together with others in one request, by the number under which the leader answers.
    private var batched: [UInt64: Key] = [:]
    private var lastNumber: UInt64 = 0
    /// The time of the leader's last answer to any subscription.
    private var answeredAt: NIODeadline?
    /// The number of subscriptions that were sent and are not answered, including cancelled ones.
    private(set) var underway = 0
    let limits: PendingLimits

    init(_ limits: PendingLimits = PendingLimits()) {
        self.limits = limits
    }

    /// The number of waiting subscriptions, without cancelled ones.
    var count: Int { entries.count }

    /// Whether so many subscriptions wait that reading from their connections pauses.
    ///
    /// - Parameter elsewhere: the number of subscriptions that wait in the other partitions of the cluster.
    func isFull(beside elsewhere: Int) -> Bool { entries.count + elsewhere >= limits.comfortable }

    /// The number of stored queue entries, including those of cancelled subscriptions.
    var remembered: Int { waits.count + turns.count + queues.values.reduce(0) { $0 + $1.waits.count } }

    // MARK: Waiting

    /// Adds a subscription; returns false when too many are waiting.
    ///
    /// - Parameter elsewhere: the number of subscriptions that wait in the other partitions of the cluster.
    mutating func add(
        _ subscription: ChannelSubscription, at now: NIODeadline, beside elsewhere: Int = 0, _ completion: @escaping Completion
    ) -> Bool {
        guard entries.count + elsewhere < limits.most else { return false }
        lastNumber += 1
        let entry = Entry(number: lastNumber, subscription: subscription, completion: completion)
        let wait = Wait(key: entry.key, number: lastNumber, since: now)
        entries[entry.key] = entry
        waits.append(wait)
        let socketID = entry.key.socketID
        if queues[socketID] == nil { turns.append(socketID) }
        queues[socketID, default: Queue()].waits.append(wait)
        queues[socketID]?.live += 1
        return true
    }

    /// Returns the subscriptions of one connection to send now; none when no subscription waits or the window of unanswered ones is full.
    ///
    /// Several subscriptions are sent together if the answer to each is short. An answer with members, replayed events or a cached event is
    /// not short.
    mutating func next() -> [Entry] {
        while underway < limits.window, let socketID = turns.popFirst() {
            guard var queue = queues.removeValue(forKey: socketID) else { continue }
            var batch: [Entry] = []
            while batch.count < limits.batch, let wait = queue.waits.first {
                guard let entry = entries[wait.key], entry.number == wait.number else {
                    queue.waits.removeFirst()
                    continue
                }
                if !batch.isEmpty, !entry.subscription.isShort { break }
                queue.waits.removeFirst()
                queue.live -= 1
                entries[wait.key]?.wasSent = true
                batch.append(entry)
                if !entry.subscription.isShort { break }
            }
            if queue.live > 0, !queue.waits.isEmpty {
                queues[socketID] = queue
                turns.append(socketID)
            }
            guard !batch.isEmpty else { continue }
            underway += batch.count
            if batch.count > 1 { for entry in batch { batched[entry.number] = entry.key } }
            return batch
        }
        return []
    }

    // MARK: Answers

    /// Records that the leader has answered a subscription.
    mutating func answered(at now: NIODeadline) {
        underway -= 1
        answeredAt = now
    }

    /// Returns the key of a subscription that was sent in a batch and is now answered; nil when the subscription was already answered.
    mutating func takeBatched(_ number: UInt64) -> Key? { batched.removeValue(forKey: number) }

    /// The waiting subscription with this key and number; nil when it was cancelled.
    func current(_ key: Key, number: UInt64) -> Entry? {
        entries[key].flatMap { $0.number == number ? $0 : nil }
    }

    /// Removes a subscription; returns nil when the subscription was cancelled, or was replaced by a later one with another number.
    mutating func take(_ key: Key, number: UInt64) -> Entry? {
        guard entries[key]?.number == number else { return nil }
        return remove(key)
    }

    /// Cancels the subscription of a connection that leaves the channel before the leader has answered.
    mutating func giveUp(_ key: Key) -> Entry? { remove(key) }

    private mutating func remove(_ key: Key) -> Entry? {
        guard let entry = entries.removeValue(forKey: key) else { return nil }
        trim()
        guard !entry.wasSent, var queue = queues.removeValue(forKey: key.socketID) else { return entry }
        queue.live -= 1
        guard queue.live > 0 else {
            if turns.count > 2 * queues.count + 64 { turns.removeAll { [queues] in queues[$0] == nil } }
            return entry
        }
        if queue.waits.count > 2 * queue.live + 64 { queue.waits.removeAll { [entries] in entries[$0.key]?.number != $0.number } }
        queues[key.socketID] = queue
        return entry
    }

    // MARK: Time

    /// The time at which the oldest subscription will have waited for `patience`; nil when none waits. The wait is counted from the
    /// leader's last answer if that came later than the subscription. So no subscription is overdue as long as the leader answers.
    func deadline(after patience: TimeAmount) -> NIODeadline? {
        waits.first.map { max($0.since, answeredAt ?? $0.since) + patience }
    }

    /// Returns the subscriptions that have waited for longer than `patience`. They are removed only when ``take(_:number:)`` is called.
    mutating func overdue(at now: NIODeadline, after patience: TimeAmount) -> [Entry] {
        var overdue: [Entry] = []
        while let first = waits.first, let deadline = deadline(after: patience), deadline <= now {
            waits.removeFirst()
            if isCurrent(first), let entry = entries[first.key] { overdue.append(entry) }
        }
        trim()
        return overdue
    }

    private func isCurrent(_ wait: Wait) -> Bool { entries[wait.key]?.number == wait.number }

    private mutating func trim() {
        while let first = waits.first, !isCurrent(first) { waits.removeFirst() }
        if waits.count > 2 * entries.count + 64 { waits.removeAll { [entries] in entries[$0.key]?.number != $0.number } }
    }
}

extension ChannelSubscription {
    /// Whether the leader's answer is one short message, without members, replayed events and a cached event.
    fileprivate var isShort: Bool { member == nil && recovery == nil && !traits.contains(.presence) && !traits.contains(.cached) }
}
