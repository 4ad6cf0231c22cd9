import Identifiers
import ServerStorage

/// Messages of one queue that the leader sends to a node. The node adds them to its partial copy of the streams.
package struct StreamPart<Attachment: Sendable>: Sendable {
    /// The range of timetokens that the entries cover. If the requested range has too many messages, this range begins later.
    package var range: StreamRange
    /// The timetoken up to which messages may be missing, because the leader no longer has them; 0 when none is missing.
    package var dropped: UInt64
    /// All messages of the range that the leader has, oldest first.
    package var entries: [StreamEntry<Attachment>]
}

// A node's partial copy of the leader's streams has only the queues that the node's readers subscribe to. The copy receives every new
// message once, and keeps the messages of its queues. When a reader needs earlier messages, the copy requests them from the leader (rules
// CB-50 to CB-52).
extension MessageStreams {
    /// Makes a partial copy that has no queues yet.
    ///
    /// - Parameter cursor: the cursor for new readers. The copy gets all messages after it.
    package init(limits: StreamLimits = StreamLimits(), copyStartingAt cursor: UInt64) {
        self.init(limits: limits, startingAt: cursor, forgotten: 0)
        coverage = StreamCoverage()
    }

    /// The approximate memory of all queues, in bytes.
    package var bytes: Int { channels.bytes + patterns.bytes + (coverage?.bytes ?? 0) }

    /// The number of queues whose messages a partial copy keeps; 0 for complete streams.
    package var coveredCount: Int { coverage?.count ?? 0 }

    /// Whether messages of a channel are kept. Complete streams keep all messages; a partial copy keeps only those of its queues.
    package func keeps(_ channel: Identifier) -> Bool {
        guard let coverage else { return true }
        if coverage.keeps(.channel(channel)) { return true }
        return Wildcard.patterns(matching: channel).contains { coverage.contains(.pattern($0)) }
    }

    /// Advances past the timetoken of a message that is not kept.
    ///
    /// - Returns: false when the streams have already advanced past this timetoken.
    package mutating func pass(_ timetoken: UInt64) -> Bool {
        guard timetoken > visible else { return false }
        advance(to: timetoken)
        return true
    }

    /// Keeps the messages of a reader's channels, groups and patterns from now on.
    package mutating func cover(_ interest: StreamInterest, at now: UInt64) {
        guard !keepsAll else { return }
        let visible = visible
        interest.forEachName { coverage?.insert($0, since: visible, at: now) }
    }

    /// Finds the messages that a reader needs and this partial copy lacks. From now on the copy keeps the messages of the reader's queues.
    ///
    /// - Returns: the ranges to request from the leader; empty when the copy has all messages that the reader needs.
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

    /// The messages of a range in these streams. If their size exceeds `budget`, only the newest of them.
    ///
    /// - Parameter budget: the remaining size of an answer, in bytes. It is reduced by the size of the messages, of which the last one may
    ///   exceed it.
    package func part(_ range: StreamRange, budget: inout Int) -> StreamPart<Attachment> {
        let queue: StreamQueue<Attachment>?
        var dropped: UInt64
        switch range.name {
        case .channel(let name): (queue, dropped) = (channels[name], channels.forgotten(of: name))
        case .pattern(let name): (queue, dropped) = (patterns[name], patterns.forgotten)
        }
        dropped = max(dropped, queue?.dropped ?? 0)
        // The node requests messages up to a timetoken that this leader has not reached, so this leader has lost messages. Any message up
        // to the end of the range may be missing.
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
        // in bounds: `start` is at most `end`, and `end` is at most the number of slots.
        part.entries = queue.slots[start..<end].map(\.entry)
        return part
    }

    private static var partOverhead: Int { 96 }

    /// Adds messages that the leader has sent for a queue. If the range ends before the messages that the queue already has, so that a gap
    /// would remain, it is ignored.
    ///
    /// - Parameter messages: the messages of the range with their attachments, oldest first.
    package mutating func insert(
        _ range: StreamRange, dropped: UInt64, _ messages: [(message: StoredMessage, attachment: Attachment)]
    ) {
        guard let since = coverage?[range.name]?.since, range.upTo >= since, range.after < since else { return }
        var last = range.after
        var entries: [StreamEntry<Attachment>] = []
        // Messages after `since` are skipped, because the queue already has them.
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

    /// Examines some of a partial copy's queues, and removes queues without a reader together with their messages.
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
