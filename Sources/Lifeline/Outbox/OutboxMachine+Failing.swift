import ConnectionEngine
import Identifiers

// Handling failed messages, and messages whose lifetime has ended.
extension OutboxMachine {
    /// Handles an attempt without success: puts the message back to the front of its channel's queue, and pauses the channel after an
    /// error.
    mutating func putBack(
        _ id: Identifier, afterFailure error: LifelineError?, now: OutboxInstant, into effects: inout [Effect]
    ) {
        guard var item = items[id] else { return }
        release(item)
        item.phase = .waiting
        item.record.state = .waiting
        if item.record.error == nil {
            // A record without an error has no earlier attempt with an unknown outcome, so the message certainly was not sent.
            item.firstSent = nil
            item.record.firstSent = nil
        }
        items[id] = item
        lines[item.channel]?.waiting.insert(id, at: 0)
        if let error { pause(item.channel, after: error, now: now, into: &effects) }
        store(.update(item.record), into: &effects)
        effects.append(.entriesChanged)
    }

    private mutating func pause(
        _ channel: Identifier, after error: LifelineError, now: OutboxInstant, into effects: inout [Effect]
    ) {
        guard var line = lines[channel] else { return }
        line.failures += 1
        let asked = error.retryAfter.map { $0.clamped(to: .zero...Self.longestPause) }
        let schedule = RetrySchedule.jittered(first: .zero, base: .seconds(1), cap: .seconds(60), atLeast: asked ?? .zero)
        let pause = schedule.pause(afterFailures: line.failures, wasConnected: false, using: &random) ?? .zero
        line.pausedUntil = now.moment + pause
        line.isAskedToWait = asked != nil
        lines[channel] = line
        wake(at: now.moment + pause, now: now, into: &effects)
    }

    /// The longest pause that a service may request; longer ones are shortened to this.
    private static var longestPause: Duration { .seconds(3_600) }

    /// Marks a message as failed. It stays in the outbox until the app retries or cancels it.
    mutating func fail(
        _ id: Identifier, as state: OutboxRecord.State, error: LifelineError?, into effects: inout [Effect]
    ) {
        guard var item = items[id] else { return }
        if item.isOnItsWay { release(item) } else { lines[item.channel]?.waiting.removeAll { $0 == id } }
        item.phase = .failed
        item.record.state = state
        item.record.error = error ?? item.record.error
        if state != .unknown { (item.firstSent, item.record.firstSent) = (nil, nil) }
        items[id] = item
        dropIfIdle(item.channel)
        makeReady(item.channel)
        store(.update(item.record), into: &effects)
        let outcome: OutboxOutcome =
            switch (state, item.record.error) {
            case (.refused, let error?): .refused(error)
            case (.expired, _): .expired
            case (_, let error): .unknown(error ?? .diedWhileSending)
            }
        effects += [.settle(id, outcome), .entriesChanged]
    }

    /// Marks a waiting message whose lifetime is over as expired, or as unknown if an earlier attempt may have arrived.
    mutating func expire(_ item: OutboxItem, into effects: inout [Effect]) {
        fail(item.id, as: item.record.error == nil ? .expired : .unknown, error: item.record.error, into: &effects)
    }

    /// Handles the timer: expires messages, cancels late attempts and ends pauses.
    mutating func timerFired(now: OutboxInstant, into effects: inout [Effect]) {
        wakesAt = nil
        for item in items.values.sorted(by: { $0.record.order < $1.record.order }) {
            switch item.phase {
            case .waiting where item.isExpired(at: now): expire(item, into: &effects)
            case .sending(isCut: false) where now.moment >= item.cutoff:
                items[item.id]?.phase = .sending(isCut: true)
                effects.append(.cancelSending(item.id))
            default: continue
            }
        }
        for channel in channelsInOrder {
            guard let end = lines[channel]?.pausedUntil, end <= now.moment else { continue }
            lines[channel]?.pausedUntil = nil
            lines[channel]?.isAskedToWait = false
            makeReady(channel)
            dropIfIdle(channel)
        }
        advance(now: now, into: &effects)
        if let next = nextDue { wake(at: next, now: now, into: &effects) }
    }

    private var nextDue: Moment? {
        let ends = items.values.compactMap { item -> Moment? in
            switch item.phase {
            case .waiting: item.deadline
            case .sending(isCut: false): item.cutoff
            // While the store writes the record of a message, no timer is needed: its timer is set when the write has ended.
            case .saving, .marking, .sending(isCut: true), .failed: nil
            }
        }
        return (ends + lines.values.compactMap(\.pausedUntil)).min()
    }

    /// Requests a timer for `due`, unless an earlier one is set. The timer fires after one hour at most, because the time of day may be
    /// changed and the machine may sleep.
    mutating func wake(at due: Moment, now: OutboxInstant, into effects: inout [Effect]) {
        let due = min(due, now.moment + .seconds(3_600))
        if let wakesAt, wakesAt <= due { return }
        wakesAt = due
        effects.append(.wake(after: max(due.duration(since: now.moment), .zero)))
    }
}
