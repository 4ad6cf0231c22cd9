import DequeModule
import NIOCore
import RealtimeHub

/// Subscriptions that the leader has not answered yet. A value without locks and clocks.
///
/// A connection that leaves the channel meanwhile, or that has waited for too long, gives its subscription up: whatever the
/// leader answers then is undone.
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
    }

    private struct Wait {
        var key: Key
        var number: UInt64
        var deadline: NIODeadline
    }

    private var entries: [Key: Entry] = [:]
    /// In the order of deadlines. Some have been answered.
    private var waits: Deque<Wait> = []
    private var lastNumber: UInt64 = 0
    /// Requests without an answer, those that were given up included.
    private(set) var unanswered = 0
    private let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// When the next one has waited for too long.
    var deadline: NIODeadline? { waits.first?.deadline }

    /// Takes a subscription that is about to be sent; nil when too many wait.
    mutating func add(
        _ subscription: ChannelSubscription, until deadline: NIODeadline, _ completion: @escaping Completion
    ) -> UInt64? {
        guard unanswered < capacity else { return nil }
        unanswered += 1
        lastNumber += 1
        let key = Key(socketID: subscription.subscriber.socketID, channel: subscription.channel)
        entries[key] = Entry(number: lastNumber, subscription: subscription, completion: completion)
        waits.append(Wait(key: key, number: lastNumber, deadline: deadline))
        return lastNumber
    }

    /// The leader has answered the request with this number.
    mutating func answered() {
        unanswered -= 1
    }

    /// A subscription that nobody has given up.
    func current(_ key: Key, number: UInt64) -> Entry? {
        entries[key].flatMap { $0.number == number ? $0 : nil }
    }

    /// Takes a subscription out; nil when it was given up, or is another one by now.
    mutating func take(_ key: Key, number: UInt64) -> Entry? {
        guard entries[key]?.number == number else { return nil }
        let entry = entries.removeValue(forKey: key)
        trim()
        return entry
    }

    /// A connection leaves a channel before the leader has answered.
    mutating func giveUp(_ key: Key) -> Entry? {
        defer { trim() }
        return entries.removeValue(forKey: key)
    }

    /// Those that have waited for too long. They stay until they are taken.
    mutating func overdue(at now: NIODeadline) -> [Entry] {
        var overdue: [Entry] = []
        while let first = waits.first, first.deadline <= now {
            waits.removeFirst()
            if let entry = entries[first.key], entry.number == first.number { overdue.append(entry) }
        }
        trim()
        return overdue
    }

    private mutating func trim() {
        while let first = waits.first, entries[first.key]?.number != first.number { waits.removeFirst() }
    }
}
