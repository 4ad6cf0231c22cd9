import DequeModule
import ServerValues

/// The events that wait to be sent to one webhook receiver: a pure value (rules SW-20 to SW-25).
///
/// Events with the same key form a lane. While events of a lane are being sent, its later events wait. So the events of a key are always
/// delivered in order, even with several simultaneous requests.
package struct WebhookQueue: Sendable {
    package enum Step: Hashable, Sendable {
        /// Send this batch now. It is in progress until ``WebhookQueue/finish(_:)`` or ``WebhookQueue/fail(_:isFinal:at:chance:)``.
        case send(WebhookBatch)
        /// There is nothing to send before this instant.
        case wait(MonotonicInstant)
        /// There is nothing to send before the next event or answer.
        case rest
    }

    private struct Entry: Sendable {
        var number: UInt64
        var since: MonotonicInstant
        var event: WebhookEvent
    }

    private struct Lane: Sendable {
        var entries: Deque<Entry> = []
        /// The total size in bytes of the lane's events, without those in a batch that is being sent.
        var bytes = 0
        /// Whether events of the lane belong to a batch that is being sent.
        var isBusy = false
    }

    package let policy: WebhookPolicy
    private var lanes: [String: Lane] = [:]
    /// The keys of lanes that have no events in a batch, in the order in which the lanes are served.
    private var ready: Deque<String> = []
    private var readyEvents = 0
    /// The time since which the first event in a ready lane has been waiting; nil when no lane is ready.
    private var readySince: MonotonicInstant?
    package private(set) var underWay: [WebhookBatch] = []
    /// The number of failures since the receiver last accepted a batch. `rest` is the time before which no new batch is sent.
    private var failures = 0
    private var rest: MonotonicInstant?
    /// The time when a new batch, not a repeated one, was last sent.
    private var begun: MonotonicInstant?
    private var waitingBytes = 0
    private var lastNumber: UInt64 = 0
    private var lastID: UInt64 = 0

    /// The number of events that belong to no batch yet.
    package private(set) var waiting = 0
    package private(set) var delivered = 0
    /// The number of events that were dropped without delivery.
    package private(set) var dropped = 0
    /// The number of failed requests, including requests that are sent again.
    package private(set) var failedRequests = 0
    /// Numbers of events that need not be stored any more, because they have been delivered or dropped.
    private var ended: [UInt64] = []

    package init(policy: WebhookPolicy) {
        self.policy = policy
    }

    /// The number of events that have not been delivered, including those in progress.
    package var count: Int { waiting + underWay.reduce(0) { $0 + $1.events.count } }

    /// Whether all events have been delivered or dropped.
    package var isEmpty: Bool { waiting == 0 && underWay.isEmpty }

    /// Whether the batch with this id is being sent, or will be sent again.
    package func isUnderWay(_ id: UInt64) -> Bool { underWay.contains { $0.id == id } }

    /// Whether the request of any batch is in progress.
    package var isSending: Bool { underWay.contains { $0.resend == nil } }

    /// Returns the journal numbers of the events that were delivered or dropped since the last call.
    package mutating func takeEnded() -> [UInt64] {
        defer { ended = [] }
        return ended
    }

    /// Adds an event. Returns false when there is no room, so that the event is dropped.
    @discardableResult
    package mutating func append(_ event: WebhookEvent, at now: MonotonicInstant) -> Bool {
        guard hasRoom(for: event) else {
            give(up: [event])
            return false
        }
        restore(event, since: now)
        return true
    }

    private func hasRoom(for event: WebhookEvent) -> Bool {
        guard waiting < policy.maximumEvents, waitingBytes + event.body.count <= policy.maximumBytes else { return false }
        guard policy.shares > 1, let lane = lanes[event.key] else { return true }
        // One key may use only a share of the limits, so that frequent events of one user leave room for those of other users.
        return lane.entries.count < max(policy.maximumEvents / policy.shares, 1)
            && (lane.entries.isEmpty || lane.bytes + event.body.count <= policy.maximumBytes / policy.shares)
    }

    /// Adds an event that an earlier queue had accepted and not delivered. The limits of this queue do not apply to such an event.
    package mutating func restore(_ event: WebhookEvent, since now: MonotonicInstant) {
        lastNumber += 1
        let isNew = lanes[event.key] == nil
        lanes[event.key, default: Lane()].entries.append(Entry(number: lastNumber, since: now, event: event))
        lanes[event.key, default: Lane()].bytes += event.body.count
        waiting += 1
        waitingBytes += event.body.count
        if isNew {
            makeReady(event.key)
        } else if lanes[event.key]?.isBusy == false {
            readyEvents += 1
        }
    }

    private mutating func give(up events: [WebhookEvent]) {
        dropped += events.count
        ended += events.compactMap(\.number)
    }

    /// Returns the next step. Call it after every change, and at the time that ``Step/wait(_:)`` contains.
    package mutating func next(at now: MonotonicInstant) -> Step {
        guard underWay.count(where: { $0.resend == nil }) < policy.requests else { return .rest }
        if let index = underWay.firstIndex(where: { ($0.resend ?? .distantFuture) <= now }) {
            underWay[index].resend = nil
            return .send(underWay[index])
        }
        var wakes = underWay.compactMap(\.resend)
        if underWay.count < policy.requests + policy.postponed, let since = readySince {
            let isFull = readyEvents >= policy.batchLength
            let start = max(isFull ? since : since.advanced(by: policy.window), newcomersRest ?? since)
            if start <= now {
                begun = now
                return .send(begin())
            }
            wakes.append(start)
        }
        return wakes.min().map { .wait($0) } ?? .rest
    }

    /// The time before which no new batch is sent; nil when new batches may be sent. When a repeated batch fails, this time becomes later,
    /// but never later than the longest pause after the last new batch. Only a new batch can show that the receiver refuses some events and
    /// accepts others.
    private var newcomersRest: MonotonicInstant? {
        guard let rest, policy.postponed > 0, let begun else { return rest }
        return min(rest, begun.advanced(by: WebhookPolicy.longestPause))
    }

    /// Removes a delivered batch, and ends the pause after failures.
    package mutating func finish(_ id: UInt64) {
        guard let batch = take(id) else { return }
        delivered += batch.events.count
        ended += batch.events.compactMap(\.number)
        failures = 0
        rest = nil
    }

    /// Handles a failed batch: it is sent again later, unless the failure is final or its events are too old.
    ///
    /// - Returns: the number of dropped events.
    package mutating func fail(_ id: UInt64, isFinal: Bool, at now: MonotonicInstant, chance: Double) -> Int {
        guard let index = underWay.firstIndex(where: { $0.id == id }) else { return 0 }
        failedRequests += 1
        if !isFinal {
            // If the receiver has accepted other batches since this batch last failed, it refuses only this batch, and other batches need
            // no pause.
            if underWay[index].failures == 0 || underWay[index].takenBefore == delivered {
                failures += 1
                rest = now.advanced(by: WebhookPolicy.pause(failures: failures, chance: chance))
            }
            underWay[index].failures += 1
            underWay[index].takenBefore = delivered
            let resend = now.advanced(by: WebhookPolicy.pause(failures: underWay[index].failures, chance: chance))
            if resend.since(underWay[index].since) <= policy.patience {
                underWay[index].resend = resend
                return 0
            }
        }
        let events = take(id)?.events ?? []
        give(up: events)
        return events.count
    }

    /// Makes all events due now and ends all pauses, because a stopping server has no time to wait.
    package mutating func hurry() {
        rest = nil
        failures = 0
        readySince = readySince.map { _ in .distantPast }
        for index in underWay.indices where underWay[index].resend != nil {
            underWay[index].resend = .distantPast
            underWay[index].failures = 0
        }
    }

    /// Removes all events, and counts those that no journal stores as dropped.
    package mutating func abandon() {
        let events = lanes.values.lazy.flatMap(\.entries).map(\.event) + underWay.flatMap(\.events)
        dropped += events.count(where: { $0.number == nil })
        (lanes, ready, underWay) = ([:], [], [])
        (readyEvents, readySince, waiting, waitingBytes) = (0, nil, 0, 0)
    }

    // MARK: Lanes

    /// Makes a batch from events of one topic in ready lanes, until the batch is full or no more are ready.
    private mutating func begin() -> WebhookBatch {
        var entries: [Entry] = []
        var size = 0
        var topic: String?
        var passed: [String] = []
        while entries.count < policy.batchLength, size < policy.batchBytes, let key = ready.popFirst() {
            guard let first = lanes[key]?.entries.first?.event.topic else { continue }
            guard first == topic ?? first else {
                passed.append(key)
                continue
            }
            // The lane is removed from the dictionary, so that its entries are not copied.
            guard var lane = lanes.removeValue(forKey: key) else { continue }
            topic = first
            readyEvents -= lane.entries.count
            lane.isBusy = true
            while entries.count < policy.batchLength, size < policy.batchBytes, lane.entries.first?.event.topic == first,
                let entry = lane.entries.popFirst()
            {
                entries.append(entry)
                size += entry.event.body.count
                lane.bytes -= entry.event.body.count
            }
            lanes[key] = lane
        }
        ready.prepend(contentsOf: passed)
        readySince = ready.isEmpty ? nil : readySince
        waiting -= entries.count
        waitingBytes -= size
        entries.sort { $0.number < $1.number }
        lastID += 1
        let batch = WebhookBatch(
            id: lastID, topic: topic ?? "", events: entries.map(\.event), since: entries.last?.since ?? .distantPast)
        underWay.append(batch)
        return batch
    }

    /// Removes a batch from those that are being sent, so that the later events of its lanes can be sent.
    private mutating func take(_ id: UInt64) -> WebhookBatch? {
        guard let index = underWay.firstIndex(where: { $0.id == id }) else { return nil }
        let batch = underWay.remove(at: index)
        for event in batch.events where lanes[event.key]?.isBusy == true {
            lanes[event.key]?.isBusy = false
            makeReady(event.key)
        }
        return batch
    }

    private mutating func makeReady(_ key: String) {
        guard let lane = lanes[key], let first = lane.entries.first else {
            lanes[key] = nil
            return
        }
        ready.append(key)
        readyEvents += lane.entries.count
        readySince = min(readySince ?? first.since, first.since)
    }
}

extension MonotonicInstant {
    fileprivate static let distantPast = MonotonicInstant(nanoseconds: .min)
    fileprivate static let distantFuture = MonotonicInstant(nanoseconds: .max)
}
