import DequeModule
import Identifiers

/// All streams of one application: what readers that poll catch up from.
///
/// A message takes two steps: `assign` when its timetoken is given out, `append` once it is durable. It becomes visible when every
/// earlier one is visible or abandoned, so no reader ever holds a cursor beyond a message that is still to come (rule HB-23). The
/// owner guards the streams with one lock, under which it also asks the clock for the token:
/// ```
/// let token = clock.next(at: now); streams.assign(token)                     // locked
/// store.append(message) { error in                                           // not locked
///     for entry in error == nil ? streams.append(message, attachment) : streams.abandon(token) { wake(entry.message.channel) }
/// }
/// ```
public struct MessageStreams<Attachment: Sendable>: Sendable {
    /// The limits of streams.
    public let limits: StreamLimits
    /// The highest timetoken that readers have seen or may see: the cursor of a reader that begins now.
    public private(set) var visible: UInt64
    var channels: StreamQueues<Attachment>
    var patterns: StreamQueues<Attachment>
    /// Assigned and not yet visible, in the order of tokens.
    private var pending = Deque<PendingMessage<Attachment>>()

    /// - Parameters:
    ///   - cursor: where readers begin: the clock's last token, never 0.
    ///   - forgotten: readers with an earlier cursor get a gap. A store that remembers the stream says
    ///     how far back it does; one that does not has forgotten everything up to `cursor`.
    package init(limits: StreamLimits = StreamLimits(), startingAt cursor: UInt64, forgotten: UInt64) {
        self.limits = limits
        visible = max(1, cursor)
        channels = StreamQueues(forgotten: forgotten)
        patterns = StreamQueues(forgotten: forgotten)
    }

    /// Streams that continue what a store remembers: the one way of restoring (rule HB-29).
    ///
    /// - Parameters:
    ///   - limits: the limits.
    ///   - state: the state.
    ///   - application: the application's key.
    ///   - cursor: the clock's last token: at least `state.highestTimetoken`.
    ///   - attach: encodes a message again.
    ///
    /// Closures are called on the calling thread.
    public init(
        limits: StreamLimits = StreamLimits(), restoring state: RestoredState, application: Identifier, startingAt cursor: UInt64,
        attach: (StoredMessage) -> Attachment
    ) {
        guard state.remembersStream else {
            self.init(limits: limits, startingAt: cursor, forgotten: cursor)
            return
        }
        self.init(limits: limits, startingAt: state.recentSince, forgotten: state.recentSince)
        for message in state.recent[application] ?? [] { _ = append(message, attach(message)) }
        // The store gives the newest messages of each channel. Of a channel that had too many of them its patterns lack some too.
        for (channel, dropped) in channels.overflowed {
            for pattern in Wildcard.patterns(matching: channel) { patterns.noteDropped(dropped, from: pattern) }
        }
        visible = max(visible, cursor)
    }

    /// Queues in memory, channels and patterns together.
    public var queueCount: Int { channels.count + patterns.count }

    /// Notes that a token was given out. Tokens come in increasing order; others are ignored.
    public mutating func assign(_ timetoken: UInt64) {
        guard timetoken > visible, timetoken > pending.last?.timetoken ?? 0 else { return }
        pending.append(PendingMessage(timetoken: timetoken, state: .waiting))
    }

    /// Adds a durable message.
    ///
    /// - Returns: what became visible by it, oldest first: this message as a rule, none while an earlier one is waited for, and
    ///   those that waited for this one. Empty for a token that was neither assigned nor is the highest.
    public mutating func append(_ message: StoredMessage, _ attachment: Attachment) -> [StreamEntry<Attachment>] {
        let entry = StreamEntry(message: message, attachment: attachment)
        if pending.isEmpty {
            guard message.timetoken > visible else { return [] }
            visible = message.timetoken
            keep(entry)
            return [entry]
        }
        return settle(message.timetoken, as: .ready(entry))
    }

    /// Releases a token whose message could not be stored, or that was used for a cursor only.
    ///
    /// - Returns: what waited for it.
    public mutating func abandon(_ timetoken: UInt64) -> [StreamEntry<Attachment>] {
        settle(timetoken, as: .abandoned)
    }

    /// The messages after `cursor`, in the order of timetokens over all sources.
    ///
    /// Costs nothing when nothing at all is new, and a comparison for each source that has nothing new.
    /// - Parameters:
    ///   - cursor: the place after which to read.
    ///   - interest: the channels, groups and patterns to read.
    ///   - limit: how many at most.
    ///   - isIncluded: the reader's filter; what it refuses does not count against the limit.
    ///
    /// Closures are called on the calling thread.
    public func read(
        after cursor: UInt64, _ interest: StreamInterest, limit: Int = 100,
        where isIncluded: (StreamEntry<Attachment>) -> Bool = { _ in true }
    ) -> StreamPage<Attachment> {
        var page = StreamPage<Attachment>(cursor: max(cursor, visible))
        guard cursor < visible else { return page }
        page.hasDropped = cursor < forgotten(for: interest)
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
            // Not the newest timetoken of the keyset: the reader may next ask for another channel, and needs the messages that came
            // there after this one.
            page.cursor = delivery.entry.message.timetoken
            guard page.deliveries.count >= limit, !merge.isEmpty else { continue }
            page.isCut = true
            break
        }
        return page
    }

    /// Drops what is too old. To be called every few seconds; looks only at queues that have something to drop.
    public mutating func sweep(at unixTicks: UInt64) {
        guard unixTicks > limits.lifetime else { return }
        let horizon = unixTicks - limits.lifetime
        channels.drop(before: horizon)
        patterns.drop(before: horizon)
    }
}

// MARK: - Queues

extension MessageStreams {
    private func forgotten(for interest: StreamInterest) -> UInt64 {
        max(
            interest.channels.isEmpty && interest.groups.isEmpty ? 0 : channels.forgotten,
            interest.patterns.isEmpty ? 0 : patterns.forgotten)
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
        channels.push(entry, onto: name, limit: limits.perChannel)
        for pattern in Wildcard.patterns(matching: name) { patterns.push(entry, onto: pattern, limit: limits.perPattern) }
        while channels.bytes + patterns.bytes > limits.bytes {
            if channels.oldest <= patterns.oldest { channels.dropOldest() } else { patterns.dropOldest() }
        }
    }
}
