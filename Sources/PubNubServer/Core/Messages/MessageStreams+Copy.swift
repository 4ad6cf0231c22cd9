import Identifiers
import ServerStorage

/// A part of a queue, which the original of streams gives to a partial copy.
package struct StreamPart<Attachment: Sendable>: Sendable {
    /// The messages that the part contains; it may begin later than requested when there are too many.
    package var range: StreamRange
    /// Messages up to this timetoken may be missing, because the original no longer has them; 0 for none.
    package var dropped: UInt64
    /// All messages of the range that the original has, oldest first.
    package var entries: [StreamEntry<Attachment>]
}

// A partial copy of the streams of another process has the queues that its own readers subscribe to. It gets every message once, keeps
// those of its queues, and requests from the original what a reader needs from before (rules CB-50 to CB-52).
extension MessageStreams {
    /// A partial copy without queues.
    ///
    /// - Parameter cursor: the cursor for new readers. The copy gets all messages after it.
    package init(limits: StreamLimits = StreamLimits(), copyStartingAt cursor: UInt64) {
        self.init(limits: limits, startingAt: cursor, forgotten: 0)
        coverage = StreamCoverage()
    }

    /// The approximate memory of all queues, in bytes.
    package var bytes: Int { channels.bytes + patterns.bytes + (coverage?.bytes ?? 0) }

    /// The number of queues that a partial copy keeps messages for; 0 when this is no partial copy.
    package var coveredCount: Int { coverage?.count ?? 0 }

    /// Whether messages of a channel are kept.
    package func keeps(_ channel: Identifier) -> Bool {
        guard let coverage else { return true }
        if coverage.keeps(.channel(channel)) { return true }
        return Wildcard.patterns(matching: channel).contains { coverage.contains(.pattern($0)) }
    }

    /// Makes the timetoken of a message visible that is not kept.
    ///
    /// - Returns: false for one that is visible already.
    package mutating func pass(_ timetoken: UInt64) -> Bool {
        guard timetoken > visible else { return false }
        advance(to: timetoken)
        return true
    }

    /// Keeps the messages of these sources from now on.
    package mutating func cover(_ interest: StreamInterest, at now: UInt64) {
        guard !keepsAll else { return }
        let visible = visible
        interest.forEachName { coverage?.insert($0, since: visible, at: now) }
    }

    /// Finds the messages that a partial copy lacks for a reader, and keeps the messages of its sources from now on.
    ///
    /// - Returns: the ranges to request from the original; empty if the reader can be served.
    package mutating func missing(
        after cursor: UInt64, _ interest: StreamInterest, at now: @autoclosure () -> UInt64
    ) -> [StreamRange] {
        guard let isAlone = coverage?.isAlone, !isAlone, cursor < visible else { return [] }
        let (visible, allSince) = (visible, coverage?.allSince)
        var ranges: [StreamRange] = []
        interest.forEachName { name in
            let since: UInt64
            if let entry = coverage?[name] {
                since = entry.since
            } else if let allSince {
                since = allSince
            } else {
                coverage?.insert(name, since: visible, at: now())
                since = visible
            }
            if cursor < since { ranges.append(StreamRange(name, after: cursor, upTo: since)) }
        }
        return ranges
    }

    /// The messages of a range that this process has, the newest ones if there are too many.
    ///
    /// - Parameter budget: the remaining size of an answer, in bytes. It is reduced, and exceeded by one message at most.
    package func part(_ range: StreamRange, budget: inout Int) -> StreamPart<Attachment> {
        let queue: StreamQueue<Attachment>?
        var dropped: UInt64
        switch range.name {
        case .channel(let name): (queue, dropped) = (channels[name], channels.forgotten(of: name))
        case .pattern(let name): (queue, dropped) = (patterns[name], patterns.forgotten)
        }
        dropped = max(dropped, queue?.dropped ?? 0)
        // A process that is behind the copy has lost messages.
        if visible < range.upTo { dropped = max(dropped, range.upTo) }
        var part = StreamPart<Attachment>(range: range, dropped: dropped > range.after ? dropped : 0, entries: [])
        guard let queue else { return part }
        let (first, end) = (queue.index(after: range.after), queue.index(after: range.upTo))
        var start = end
        while start > first, budget > 0 {
            start -= 1
            budget -= queue.slots[start].entry.message.bytes + Self.partOverhead
        }
        if start > first { part.range.after = queue.slots[start - 1].timetoken }
        // in bounds: `start` is at most `end`, and `end` at most the number of slots.
        part.entries = queue.slots[start..<end].map(\.entry)
        return part
    }

    private static var partOverhead: Int { 96 }

    /// Adds a part of a queue that the original has given. Parts that do not adjoin what the copy has are ignored.
    ///
    /// - Parameter messages: the messages of the range with their attachments, oldest first.
    package mutating func insert(
        _ range: StreamRange, dropped: UInt64, _ messages: [(message: StoredMessage, attachment: Attachment)]
    ) {
        guard let since = coverage?[range.name]?.since, range.upTo >= since, range.after < since else { return }
        var last = range.after
        var entries: [StreamEntry<Attachment>] = []
        // Messages after `since` are in the queue already.
        for (message, attachment) in messages where message.timetoken > last && message.timetoken <= since {
            last = message.timetoken
            entries.append(StreamEntry(message: message, attachment: attachment))
        }
        coverage?.extend(range.name, to: range.after)
        coverage?.noteDropped(dropped, from: range.name)
        switch range.name {
        case .channel(let name): channels.prepend(entries, to: name, limit: limits.perChannel)
        case .pattern(let name): patterns.prepend(entries, to: name, limit: limits.perPattern)
        }
        dropExcess()
    }

    /// Examines some of a partial copy's queues, and removes those without a reader with their messages.
    ///
    /// - Parameters:
    ///   - limit: how many queues to examine.
    ///   - age: how long a queue stays after its last reader has left, in units of 100 ns.
    ///   - isRead: whether a queue has a reader. Called on the calling thread.
    package mutating func removeUnread(limit: Int, age: UInt64, at now: UInt64, where isRead: (StreamName) -> Bool) {
        guard !keepsAll else { return }
        for name in coverage?.removeUnread(limit: limit, age: age, at: now, where: isRead) ?? [] {
            switch name {
            case .channel(let name): channels.remove(name)
            case .pattern(let name): patterns.remove(name)
            }
        }
    }
}
