import DequeModule
import Identifiers
import ServerStorage

/// All message streams of one application, from which polling readers catch up.
///
/// A message takes two steps: `assign` when its timetoken is issued, `append` once it is durable. It becomes visible when every earlier
/// message is visible or abandoned, so no reader ever gets a cursor beyond a message that is not visible yet (rule HB-23). The owner guards
/// the streams with one lock, under which it also requests the token from the clock:
/// ```
/// let token = clock.next(at: now); streams.assign(token)                     // locked
/// store.append(message) { error in                                           // not locked
///     for entry in error == nil ? streams.append(message, attachment) : streams.abandon(token) { wake(entry.message.channel) }
/// }
/// ```
package struct MessageStreams<Attachment: Sendable>: Sendable {
    /// The limits of the number, bytes and age of the messages that are kept for readers.
    package let limits: StreamLimits
    /// The timetoken up to which messages are visible to readers: the cursor for new readers.
    package private(set) var visible: UInt64
    var channels: StreamQueues<Attachment>
    var patterns: StreamQueues<Attachment>
    /// The queues of a partial copy on a node of a cluster; nil for complete streams.
    var coverage: StreamCoverage?
    /// Messages that have a timetoken and are not visible yet, in the order of timetokens.
    private var pending = Deque<PendingMessage<Attachment>>()

    /// - Parameters:
    ///   - cursor: the cursor for new readers: the clock's last token, never 0.
    ///   - forgotten: readers with an earlier cursor get a gap. A durable store sets it to the beginning of its data; a store
    ///     without data sets it to `cursor`.
    package init(limits: StreamLimits = StreamLimits(), startingAt cursor: UInt64, forgotten: UInt64) {
        self.limits = limits
        visible = max(1, cursor)
        channels = StreamQueues(forgotten: forgotten)
        patterns = StreamQueues(forgotten: forgotten)
    }

    /// Makes streams that continue with the messages of a store (rule HB-29).
    ///
    /// - Parameters:
    ///   - limits: the limits of what is kept for readers.
    ///   - state: the state that the store has restored.
    ///   - application: the application's key.
    ///   - cursor: the clock's last token: at least `state.highestTimetoken`.
    ///   - attach: encodes a restored message.
    ///
    /// Closures are called on the calling thread.
    package init(
        limits: StreamLimits = StreamLimits(), restoring state: RestoredState, application: Identifier, startingAt cursor: UInt64,
        attach: (StoredMessage) -> Attachment
    ) {
        guard state.remembersStream else {
            self.init(limits: limits, startingAt: cursor, forgotten: cursor)
            return
        }
        self.init(limits: limits, startingAt: state.recentSince, forgotten: state.recentSince)
        for message in state.recent[application] ?? [] { _ = append(message, attach(message)) }
        // If the store has restored only the newest messages of a channel, older ones are also missing in the queues of the matching
        // patterns.
        for (channel, dropped) in channels.overflowed {
            for pattern in Wildcard.patterns(matching: channel) { patterns.noteDropped(dropped, from: pattern) }
        }
        visible = max(visible, cursor)
    }

    /// The number of queues of channels and patterns.
    package var queueCount: Int { channels.count + patterns.count }

    /// Records that a timetoken was issued. Timetokens must be passed in increasing order. A timetoken that is not higher than all earlier
    /// ones is ignored.
    package mutating func assign(_ timetoken: UInt64) {
        guard timetoken > visible, timetoken > pending.last?.timetoken ?? 0 else { return }
        pending.append(PendingMessage(timetoken: timetoken, state: .waiting))
    }

    /// Adds a durable message.
    ///
    /// - Returns: the messages that became visible, oldest first. Usually this is only the added message. Later messages that have waited
    ///   for it follow. The list is empty while an earlier message is pending, or when the timetoken was neither assigned nor is the
    ///   highest.
    package mutating func append(_ message: StoredMessage, _ attachment: Attachment) -> [StreamEntry<Attachment>] {
        let entry = StreamEntry(message: message, attachment: attachment)
        if pending.isEmpty {
            guard message.timetoken > visible else { return [] }
            visible = message.timetoken
            keep(entry)
            return [entry]
        }
        return settle(message.timetoken, as: .ready(entry))
    }

    /// Releases a timetoken whose message could not be stored, or that was used for a cursor only.
    ///
    /// - Returns: the messages that became visible, because they have waited for this timetoken.
    package mutating func abandon(_ timetoken: UInt64) -> [StreamEntry<Attachment>] {
        settle(timetoken, as: .abandoned)
    }

    /// The messages of a reader's channels, groups and patterns after `cursor`, in the order of timetokens.
    ///
    /// The cost is constant when no channel has new messages. Otherwise each channel and pattern without new messages costs one comparison.
    /// - Parameters:
    ///   - cursor: the timetoken after which to read.
    ///   - interest: the channels, groups and patterns to read.
    ///   - limit: the largest number of messages.
    ///   - isIncluded: the reader's filter; messages that it excludes do not count against the limit.
    ///
    /// Closures are called on the calling thread.
    package func read(
        after cursor: UInt64, _ interest: StreamInterest, limit: Int = 100,
        where isIncluded: (StreamEntry<Attachment>) -> Bool = { _ in true }
    ) -> StreamPage<Attachment> {
        var page = StreamPage<Attachment>(cursor: max(cursor, visible))
        guard cursor < visible else { return page }
        page.hasDropped = hasForgotten(after: cursor, interest)
        var merge = StreamMerge<Attachment>()
        func look(_ queue: StreamQueue<Attachment>?, _ source: StreamSource) {
            guard let queue, queue.last > cursor else { return }
            if queue.dropped > cursor { page.hasDropped = true }
            merge.add(queue, after: cursor, source)
        }
        for name in interest.channels { look(channels[name], .channel) }
        for (index, group) in interest.groups.enumerated() {
            for name in group.channels { look(channels[name], .group(index)) }
        }
        for (index, wildcard) in interest.patterns.enumerated() { look(patterns[wildcard.pattern], .pattern(index)) }
        while let delivery = merge.next() {
            guard isIncluded(delivery.entry) else { continue }
            page.deliveries.append(delivery)
            // A page that reaches its limit ends at its last message, not at the newest timetoken of the keyset. The client may subscribe
            // to another channel in its next request. It then needs the messages of that channel after the last message of this page.
            page.cursor = delivery.entry.message.timetoken
            guard page.deliveries.count >= limit, !merge.isEmpty else { continue }
            page.isCut = true
            break
        }
        return page
    }

    /// Whether messages after `cursor` may be missing for a reader. This is the value of `hasDropped` in the page that
    /// ``read(after:_:limit:where:)`` would return.
    package func hasDropped(after cursor: UInt64, _ interest: StreamInterest) -> Bool {
        guard cursor < visible else { return false }
        if hasForgotten(after: cursor, interest) { return true }
        func hasDropped(_ queue: StreamQueue<Attachment>?) -> Bool {
            queue.map { $0.last > cursor && $0.dropped > cursor } ?? false
        }
        return interest.channels.contains { hasDropped(channels[$0]) }
            || interest.groups.contains { $0.channels.contains { hasDropped(channels[$0]) } }
            || interest.patterns.contains { hasDropped(patterns[$0.pattern]) }
    }

    /// Drops messages that are older than the limit. Call it every few seconds; it visits only queues with such messages.
    package mutating func sweep(at unixTicks: UInt64) {
        guard unixTicks > limits.lifetime else { return }
        let horizon = unixTicks - limits.lifetime
        channels.drop(before: horizon)
        patterns.drop(before: horizon)
    }
}

// MARK: - Queues

extension MessageStreams {
    /// Whether messages after `cursor` may be missing for a reader, because a queue was removed, or because a partial copy can no longer
    /// get them.
    private func hasForgotten(after cursor: UInt64, _ interest: StreamInterest) -> Bool {
        if let coverage, coverage.hasDropped(after: cursor, interest) { return true }
        if cursor < patterns.forgotten, !interest.patterns.isEmpty { return true }
        // The cursors of most readers are newer than all removed queues. For such a reader nothing more has to be checked.
        guard cursor < max(channels.forgotten, channels.forgottenPresence) else { return false }
        if cursor < channels.forgotten, !interest.groups.isEmpty { return true }
        func isForgotten(_ name: Identifier) -> Bool { cursor < channels.forgotten(of: name) }
        return interest.channels.contains(where: isForgotten)
            || interest.groups.contains { $0.channels.contains(where: isForgotten) }
    }

    private mutating func settle(_ timetoken: UInt64, as state: PendingMessage<Attachment>.State) -> [StreamEntry<Attachment>] {
        guard let index = pending.firstIndex(where: { $0.timetoken >= timetoken }), pending[index].timetoken == timetoken
        else { return [] }
        pending[index].state = state
        var revealed: [StreamEntry<Attachment>] = []
        while let first = pending.first {
            switch first.state {
            case .waiting: return revealed
            case .abandoned: break
            case .ready(let entry):
                keep(entry)
                revealed.append(entry)
            }
            visible = first.timetoken
            pending.removeFirst()
        }
        return revealed
    }

    private mutating func keep(_ entry: StreamEntry<Attachment>) {
        let name = entry.message.channel
        if coverage?.keeps(.channel(name)) ?? true { channels.push(entry, onto: name, limit: limits.perChannel) }
        for pattern in Wildcard.patterns(matching: name) where coverage?.keeps(.pattern(pattern)) ?? true {
            patterns.push(entry, onto: pattern, limit: limits.perPattern)
        }
        dropExcess()
    }

    /// Drops the oldest messages until all queues together are within the memory limit.
    mutating func dropExcess() {
        while channels.bytes + patterns.bytes > limits.bytes {
            if channels.oldest <= patterns.oldest { channels.dropOldest() } else { patterns.dropOldest() }
        }
    }
}
