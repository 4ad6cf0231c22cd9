import ConnectionEngine
import Identifiers

// Choosing the next message to send, and handling the outcome of an attempt.
extension OutboxMachine {
    /// Handles a new or lost connection. `isConnected` is also false while another user is signed in.
    mutating func connectionChanged(isConnected: Bool, now: OutboxInstant, into effects: inout [Effect]) {
        guard isConnected != self.isConnected else { return }
        self.isConnected = isConnected
        guard isConnected else { return }
        // A new connection ends the pauses of the channels, except pauses that the service has requested.
        for channel in channelsInOrder where lines[channel]?.isAskedToWait == false { resume(channel) }
        advance(now: now, into: &effects)
    }

    /// Handles a newly subscribed channel. Some services accept messages only from subscribers, so waiting messages of the channel can now
    /// be sent.
    mutating func subscribed(_ channel: Identifier, now: OutboxInstant, into effects: inout [Effect]) {
        guard let line = lines[channel], !line.isAskedToWait else { return }
        resume(channel)
        advance(now: now, into: &effects)
    }

    private mutating func resume(_ channel: Identifier) {
        lines[channel]?.pausedUntil = nil
        lines[channel]?.isAskedToWait = false
        lines[channel]?.failures = 0
        makeReady(channel)
    }

    /// Handles the store's report that a change was written, or that writing it has failed.
    mutating func stored(_ change: OutboxChange, error: LifelineError?, now: OutboxInstant, into effects: inout [Effect]) {
        unconfirmed -= 1
        switch change {
        case .insert(let record): inserted(Identifier(record.id), error: error, at: now, into: &effects)
        case .update(let record) where items[Identifier(record.id)]?.phase == .marking && record.state == .sending:
            marked(Identifier(record.id), error: error, at: now, into: &effects)
        case .update, .remove: if let error { effects.append(.problem(error)) }
        }
        advance(now: now, into: &effects)
    }

    private mutating func inserted(_ id: Identifier, error: LifelineError?, at now: OutboxInstant, into effects: inout [Effect]) {
        guard let item = items[id], item.phase == .saving else { return }
        guard let error else {
            items[id]?.phase = .waiting
            wake(at: item.deadline, now: now, into: &effects)
            return makeReady(item.channel)
        }
        // The message could not be written to disk, so it cannot be stored as a failed message. It is removed and refused.
        lines[item.channel]?.waiting.removeAll { $0 == id }
        items[id] = nil
        bytes -= item.bytes
        dropIfIdle(item.channel)
        makeReady(item.channel)
        effects += [.settle(id, .refused(error)), .entriesChanged]
    }

    private mutating func marked(_ id: Identifier, error: LifelineError?, at now: OutboxInstant, into effects: inout [Effect]) {
        guard let item = items[id] else { return }
        if let error {
            effects.append(.problem(error))
            return putBack(id, afterFailure: error, now: now, into: &effects)
        }
        guard isConnected, !isClosing else { return putBack(id, afterFailure: nil, now: now, into: &effects) }
        items[id]?.phase = .sending(isCut: false)
        wake(at: item.cutoff, now: now, into: &effects)
        effects.append(.send(item.record))
    }

    /// Handles the outcome of an attempt to send a message.
    mutating func sent(_ id: Identifier, _ outcome: PublishOutcome, now: OutboxInstant, into effects: inout [Effect]) {
        guard let item = items[id], case .sending(let isCut) = item.phase else { return }
        switch outcome {
        case .accepted(let messageID):
            release(item)
            remove(item, into: &effects)
            lines[item.channel]?.failures = 0
            dropIfIdle(item.channel)
            effects.append(.settle(id, .accepted(id: messageID)))
        case .refused(let error) where isCut && error.code == .cancelled:
            // The attempt was cancelled at the message's ``OutboxItem/cutoff``, before the message was sent, so the message has expired.
            fail(id, as: item.record.error == nil ? .expired : .unknown, error: item.record.error, into: &effects)
        case .refused(let error) where error.isPassing:
            putBack(id, afterFailure: error, now: now, into: &effects)
        case .refused(let error):
            // If the service does not recognise repetitions, this refusal does not show whether an earlier attempt has arrived.
            let isKnown = item.record.error == nil || repetitionSpan != nil
            fail(id, as: isKnown ? .refused : .unknown, error: error, into: &effects)
        case .unknown(let error):
            items[id]?.record.error = error
            if !isCut, let firstSent = item.firstSent, isRecognised(since: firstSent, now: now) {
                putBack(id, afterFailure: error, now: now, into: &effects)
            } else {
                fail(id, as: .unknown, error: error, into: &effects)
            }
        }
        advance(now: now, into: &effects)
    }

    /// Starts sending the first waiting message of each channel in `ready`, until ``OutboxOptions/maximumChannels`` channels are sending.
    mutating func advance(now: OutboxInstant, into effects: inout [Effect]) {
        while isConnected, !isClosing, underWay < options.maximumChannels, let channel = ready.popFirst() {
            lines[channel]?.isReady = false
            guard let line = lines[channel], line.current == nil, let id = line.waiting.first, let item = items[id],
                item.phase == .waiting, line.pausedUntil.map({ $0 <= now.moment }) ?? true
            else { continue }
            if item.isExpired(at: now) {
                expire(item, into: &effects)
            } else if let firstSent = item.firstSent, !isRecognised(since: firstSent, now: now) {
                fail(id, as: .unknown, error: item.record.error, into: &effects)
            } else {
                start(item, now: now, into: &effects)
            }
        }
        closeIfDone(into: &effects)
    }

    private mutating func start(_ item: OutboxItem, now: OutboxInstant, into effects: inout [Effect]) {
        var item = item
        lines[item.channel]?.waiting.removeFirst()
        lines[item.channel]?.current = item.id
        lines[item.channel]?.pausedUntil = nil
        underWay += 1
        item.phase = .marking
        item.record.state = .sending
        if item.firstSent == nil {
            item.firstSent = now
            item.record.firstSent = now.unixSeconds
        }
        items[item.id] = item
        store(.update(item.record), into: &effects)
        effects.append(.entriesChanged)
    }

    /// Whether a repetition of a message that was first sent at `firstSent` is recognised, by the service or by the app's receivers.
    func isRecognised(since firstSent: OutboxInstant, now: OutboxInstant) -> Bool {
        if options.repeatsUnknown { return true }
        return repetitionSpan.map { now.duration(since: firstSent) < $0 } ?? false
    }
}
