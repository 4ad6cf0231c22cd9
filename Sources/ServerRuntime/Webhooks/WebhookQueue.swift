import DequeModule
import ServerValues

/// The events that wait for one receiver: a pure value (rules SW-20 to SW-25).
///
/// Events with the same key wait in a lane of their own, of which only the first ones are under way. So a key's events never
/// overtake each other, whatever the number of requests, and nothing has to be searched.
package struct WebhookQueue: Sendable {
    package enum Step: Hashable, Sendable {
        /// Send this batch now. It is under way until ``WebhookQueue/finish(_:)`` or ``WebhookQueue/fail(_:isFinal:at:chance:)``.
        case send(WebhookBatch)
        /// There is nothing to do before this instant.
        case wait(MonotonicInstant)
        /// There is nothing to do before something happens.
        case rest
    }

    private struct Entry: Sendable {
        var number: UInt64
        var since: MonotonicInstant
        var event: WebhookEvent
    }

    private struct Lane: Sendable {
        var entries: Deque<Entry> = []
        /// Bytes of the entries.
        var bytes = 0
        /// Whether some of the lane's events are in progress.
        var isBusy = false
    }

    package let policy: WebhookPolicy
    private var lanes: [String: Lane] = [:]
    /// The lanes that are not busy, in the order of their turns.
    private var ready: Deque<String> = []
    private var readyEvents = 0
    /// The time since which the first of the ready events has been waiting.
    private var readySince: MonotonicInstant?
    package private(set) var underWay: [WebhookBatch] = []
    /// Failures of the receiver since it last took something, and when it may be bothered again.
    private var failures = 0
    private var rest: MonotonicInstant?
    /// When something was last sent for the first time.
    private var begun: MonotonicInstant?
    private var waitingBytes = 0
    private var lastNumber: UInt64 = 0
    private var lastID: UInt64 = 0

    /// Events that wait for their turn.
    package private(set) var waiting = 0
    package private(set) var delivered = 0
    /// Events that were dropped.
    package private(set) var dropped = 0
    /// Requests that did not succeed.
    package private(set) var failedRequests = 0
    /// Numbers of events that need not be stored any more, because they have been delivered or dropped.
    private var ended: [UInt64] = []

    package init(policy: WebhookPolicy) {
        self.policy = policy
    }

    /// Events that have not been delivered, including those in transit.
    package var count: Int { waiting + underWay.reduce(0) { $0 + $1.events.count } }

    /// Whether there is nothing left to send.
    package var isEmpty: Bool { waiting == 0 && underWay.isEmpty }

    /// Whether a batch is on its way or going to be sent again.
    package func isUnderWay(_ id: UInt64) -> Bool { underWay.contains { $0.id == id } }

    /// Whether a batch was sent and not answered yet.
    package var isSending: Bool { underWay.contains { $0.resend == nil } }

    /// Takes the numbers of the events that have ended since the last call.
    package mutating func takeEnded() -> [UInt64] {
        defer { ended = [] }
        return ended
    }

    /// Adds an event. Returns false when there is no room and the event is dropped.
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
        // Frequent events of one user leave room for those of others.
        return lane.entries.count < max(policy.maximumEvents / policy.shares, 1)
            && (lane.entries.isEmpty || lane.bytes + event.body.count <= policy.maximumBytes / policy.shares)
    }

    /// Takes an event that another queue had accepted, including one that was in progress there: there is room for it in any case.
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

    /// Returns the next step. To be called after every change, and at the time that ``Step/wait(_:)`` names.
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

    /// The time until which no new batch is tried. A repeated batch that fails postpones it, but not without limit: only a new batch
    /// shows that the receiver refuses some events and would accept others.
    private var newcomersRest: MonotonicInstant? {
        guard let rest, policy.postponed > 0, let begun else { return rest }
        return min(rest, begun.advanced(by: WebhookPolicy.longestPause))
    }

    /// A batch has arrived.
    package mutating func finish(_ id: UInt64) {
        guard let batch = take(id) else { return }
        delivered += batch.events.count
        ended += batch.events.compactMap(\.number)
        failures = 0
        rest = nil
    }

    /// A batch has not arrived; it is tried again later, unless that is for good or its events are too old.
    ///
    /// - Returns: how many events were given up.
    package mutating func fail(_ id: UInt64, isFinal: Bool, at now: MonotonicInstant, chance: Double) -> Int {
        guard let index = underWay.firstIndex(where: { $0.id == id }) else { return 0 }
        failedRequests += 1
        if !isFinal {
            // Has it taken others meanwhile, it is this that it refuses, and no reason to rest.
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

    /// There is no time to wait for a better moment: everything is tried now, once more.
    package mutating func hurry() {
        rest = nil
        failures = 0
        readySince = readySince.map { _ in .distantPast }
        for index in underWay.indices where underWay[index].resend != nil {
            underWay[index].resend = .distantPast
            underWay[index].failures = 0
        }
    }

    /// Drops everything that is not stored elsewhere.
    package mutating func abandon() {
        let events = lanes.values.lazy.flatMap(\.entries).map(\.event) + underWay.flatMap(\.events)
        dropped += events.count(where: { $0.number == nil })
        (lanes, ready, underWay) = ([:], [], [])
        (readyEvents, readySince, waiting, waitingBytes) = (0, nil, 0, 0)
    }

    // MARK: Lanes

    /// Takes events of one topic from as many lanes as a batch has room for.
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
            // Taken out, so that its entries are not copied.
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

    /// Removes a batch from those under way, so that its lanes can continue.
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
