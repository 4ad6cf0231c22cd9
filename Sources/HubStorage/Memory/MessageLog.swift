import DequeModule
import Identifiers
import ServerStorage

/// The limits of history in memory. When a limit is exceeded, the oldest messages are removed (rule HB-41).
public struct MemoryLimits: Hashable, Sendable {
    /// The maximum number of messages of one channel.
    public var messagesPerChannel: Int
    /// The approximate maximum size in bytes of all messages of all applications.
    public var bytes: Int
    /// The maximum number of events of a chat user's inbox.
    public var inboxEntries: Int

    /// Makes limits. Limits below 1 are raised to 1.
    public init(messagesPerChannel: Int = 10_000, bytes: Int = 256 << 20, inboxEntries: Int = 20_000) {
        self.inboxEntries = max(1, inboxEntries)
        self.messagesPerChannel = max(1, messagesPerChannel)
        self.bytes = bytes
    }
}

/// The histories of all channels of all applications, in memory.
struct MessageLog: Sendable {
    struct Name: Hashable, Sendable {
        var application: Identifier
        var channel: Identifier
    }

    let limits: MemoryLimits
    /// The messages of each channel in ascending order of timetokens. No list is empty.
    private var channels: [Name: Deque<StoredMessage>] = [:]
    /// The messages in the order of their arrival. Entries of removed messages may still be in the list.
    private var order = Deque<(name: Name, timetoken: UInt64)>()
    private var histories: [Identifier: MemoryHistory] = [:]
    private var count = 0
    private var bytes = 0

    init(limits: MemoryLimits) {
        self.limits = limits
    }

    mutating func append(_ message: StoredMessage, application: String, at now: UInt64) {
        let name = Name(application: Identifier(application), channel: message.channel)
        guard Self.insert(message, into: &channels[name, default: []]) else { return }
        order.append((name, message.timetoken))
        histories[name.application, default: MemoryHistory()].add(message)
        account(for: message)
        while isOverfull(name, at: now) { dropFirst(name) }
        while bytes > limits.bytes, let oldest = order.popFirst() {
            // All messages of the channel up to the timetoken of the removed entry are dropped, not only the message of this entry, because
            // messages may be appended out of order. Otherwise a message without an entry in `order` would never be dropped, and would
            // block the removal of all later messages of its channel.
            while let first = channels[oldest.name]?.first, first.timetoken <= oldest.timetoken { dropFirst(oldest.name) }
        }
        tidy(name.application)
        guard order.count > 2 * count + 1024 else { return }
        order = Deque(order.filter { has($0.timetoken, in: $0.name) })
        for application in histories.keys { removeGone(application) }
    }

    /// Removes the entries of removed messages from an application's list `order` when they are the majority of the list. Dropping messages
    /// to save memory does not do this: it shortens only the list `order` of all applications together.
    private mutating func tidy(_ application: Identifier) {
        guard let index = histories.index(forKey: application),
            histories.values[index].order.count > 2 * histories.values[index].usage.messages + 1024
        else { return }
        removeGone(application)
    }

    private mutating func removeGone(_ application: Identifier) {
        let left = histories[application]?.order.filter {
            has($0.timetoken, in: Name(application: application, channel: $0.channel))
        }
        histories[application]?.order = Deque(left ?? [])
    }

    /// The number of entries in all `order` lists: the list of all applications together, and the list of each application. Entries of
    /// removed messages count.
    var entryCount: Int { histories.values.reduce(order.count) { $0 + $1.order.count } }

    private func has(_ timetoken: UInt64, in name: Name) -> Bool {
        guard let all = channels[name] else { return false }
        let index = Self.firstIndex(in: all) { $0 >= timetoken }
        return index < all.count && all[index].timetoken == timetoken
    }

    func history(_ query: HistoryQuery, application: String, at now: UInt64) -> [StoredMessage] {
        guard let span = query.span, query.limit > 0,
            let all = channels[Name(application: Identifier(application), channel: query.channel)]
        else { return [] }
        let found = all[Self.indices(of: span, in: all)].lazy.filter { $0.expires ?? .max > now }
        return query.isOldestFirst ? Self.page(found, query) : Self.page(found.reversed(), query).reversed()
    }

    /// The messages that a query selects, up to the query's limits, in the order of `messages`.
    private static func page(_ messages: some Sequence<StoredMessage>, _ query: HistoryQuery) -> [StoredMessage] {
        var page: [StoredMessage] = []
        var bytes = 0
        for message in messages {
            page.append(message)
            bytes += message.size
            if page.count >= query.limit || bytes > query.maximumBytes { break }
        }
        return page
    }

    func count(channel: Identifier, since: UInt64, limit: Int, application: String, at now: UInt64) -> Int {
        guard let all = channels[Name(application: Identifier(application), channel: channel)],
            let span = HistorySpan(start: since, end: nil, isOldestFirst: true)
        else { return 0 }
        return all[Self.indices(of: span, in: all)].lazy.filter { $0.expires ?? .max > now }.prefix(limit).count
    }

    mutating func delete(channel: Identifier, _ span: HistorySpan, application: String) -> Int {
        let name = Name(application: Identifier(application), channel: channel)
        guard let all = channels[name] else { return 0 }
        let range = Self.indices(of: span, in: all)
        for message in all[range] { account(forRemoved: message, of: name.application) }
        channels[name]?.removeSubrange(range)
        if channels[name]?.isEmpty == true { channels[name] = nil }
        return range.count
    }

    private func isOverfull(_ name: Name, at now: UInt64) -> Bool {
        guard let all = channels[name] else { return false }
        return all.count > limits.messagesPerChannel || all.first?.expires ?? .max <= now
    }

    private mutating func dropFirst(_ name: Name) {
        guard let index = channels.index(forKey: name), let first = channels.values[index].popFirst() else { return }
        account(forRemoved: first, of: name.application)
        if channels.values[index].isEmpty { channels.remove(at: index) }
    }

    /// Inserts a message into a channel's list. The search begins at the end, because messages arrive nearly in order. Returns false when
    /// the message already exists.
    private static func insert(_ message: StoredMessage, into all: inout Deque<StoredMessage>) -> Bool {
        var index = all.count
        while index > 0, all[index - 1].timetoken > message.timetoken { index -= 1 }
        guard index == 0 || all[index - 1].timetoken < message.timetoken else { return false }
        all.insert(message, at: index)
        return true
    }

    /// The indices of the messages whose timetokens are in a span.
    private static func indices(of span: HistorySpan, in all: Deque<StoredMessage>) -> Range<Int> {
        let lower = firstIndex(in: all) { $0 >= span.lowest }
        return lower..<max(lower, firstIndex(in: all) { $0 > span.highest })
    }

    /// The index of the first message for whose timetoken `isBeyond` is true; the number of messages when there is none.
    private static func firstIndex(in all: Deque<StoredMessage>, where isBeyond: (UInt64) -> Bool) -> Int {
        var low = 0
        var high = all.count
        while low < high {
            let middle = (low + high) / 2
            if isBeyond(all[middle].timetoken) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    private mutating func account(for message: StoredMessage) {
        bytes += Self.cost(of: message)
        count += 1
    }

    private mutating func account(forRemoved message: StoredMessage, of application: Identifier) {
        bytes -= Self.cost(of: message)
        count -= 1
        histories[application]?.remove(message)
    }

    private static func cost(of message: StoredMessage) -> Int { message.bytes + 320 }
}

// MARK: - Limits of an application's history

extension MessageLog {
    /// The number of messages that one call of `trim` examines, so that other callers wait less than a millisecond for the lock.
    private static var trimStep: Int { 1000 }

    /// Deletes the oldest messages of an application, at most ``trimStep``.
    ///
    /// - Returns: the usage after the deletion, and whether another call is needed to reach the limits.
    mutating func trim(_ application: Identifier, _ limits: HistoryLimits) -> (usage: HistoryUsage, isUnfinished: Bool) {
        var removed = 0
        for _ in 0..<Self.trimStep {
            guard let index = histories.index(forKey: application),
                let oldest = histories.values[index].takeOldest(beyond: limits)
            else { return (usage(of: application, removed: removed), false) }
            if remove(oldest.timetoken, from: Name(application: application, channel: oldest.channel)) { removed += 1 }
        }
        return (usage(of: application, removed: removed), true)
    }

    /// Removes one message. The code changes the channel's list in place, because changing a copy of the list would copy all of its
    /// messages.
    private mutating func remove(_ timetoken: UInt64, from name: Name) -> Bool {
        guard has(timetoken, in: name), let place = channels.index(forKey: name) else { return false }
        let index = Self.firstIndex(in: channels.values[place]) { $0 >= timetoken }
        // in bounds: the channel has a message with this timetoken, so `firstIndex` has found its index.
        let message = channels.values[place].remove(at: index)
        if channels.values[place].isEmpty { channels.remove(at: place) }
        account(forRemoved: message, of: name.application)
        return true
    }

    private func usage(of application: Identifier, removed: Int) -> HistoryUsage {
        var usage = histories[application]?.usage ?? HistoryUsage()
        usage.removed = removed
        return usage
    }
}

/// The size of one application's history in memory, and the order of its messages.
private struct MemoryHistory: Sendable {
    var usage = HistoryUsage()
    /// The messages in the order of their timetokens. Entries of removed messages may still be in the list.
    var order = Deque<(channel: Identifier, timetoken: UInt64)>()

    mutating func add(_ message: StoredMessage) {
        usage.messages += 1
        usage.bytes += message.contentBytes
        var index = order.count
        while index > 0, order[index - 1].timetoken > message.timetoken { index -= 1 }
        order.insert((message.channel, message.timetoken), at: index)
    }

    mutating func remove(_ message: StoredMessage) {
        usage.messages -= 1
        usage.bytes -= message.contentBytes
    }

    /// Removes and returns the first entry of `order` if it is too old or the history exceeds its limits; otherwise nil.
    mutating func takeOldest(beyond limits: HistoryLimits) -> (channel: Identifier, timetoken: UInt64)? {
        guard let first = order.first, first.timetoken < limits.lowest || limits.isExceeded(by: usage) else { return nil }
        return order.popFirst()
    }
}
