import ConnectionEngine

// The main loop of a session: check of the service, handshake, and consecutive polls.
extension PubNubSession {
    /// An answer with at least this many messages means that the service's queue may have overflowed.
    static let fullBatch = 100
    /// The maximum length of a request target in bytes. The service refuses longer targets.
    static let longestTarget = 32 * 1024
    /// After this number of consecutive malformed answers to polls from one position, the session no longer polls from this position (rule
    /// PX-51).
    static let malformedPollLimit = 3
    /// An answer without new messages that arrives in less than this time counts as fruitless. After three fruitless answers in a row the
    /// session pauses (rule PX-16).
    static let quickAnswer = Duration.seconds(1)

    /// Requests the service's time to check whether the service can be reached (rule PX-3).
    mutating func reach(memory: inout PubNubMemory, out: inout Actions) {
        let exchange = memory.exchange(.time, timeout: memory.options.requestTimeout)
        step = .reaching(exchange.id)
        out.send(.call(exchange))
        out.startTimer(Self.reachingTimer, after: Self.reachingLimit(out.timing))
    }

    /// The time limit for the answer to a request other than a subscribe request, such as a leave, while the connection is not confirmed
    /// yet.
    static func reachingLimit(_ timing: ConnectionTiming) -> Duration { max(timing.probe, timing.open / 2) }

    mutating func reached(
        _ result: Result<PubNubAnswer, ConnectionFailure>, memory: inout PubNubMemory, out: inout Actions
    ) {
        step = .idle
        out.cancelTimer(Self.reachingTimer)
        switch result {
        case .failure(let failure):
            out.fault(failure)
        case .success(.problem(let problem)) where Self.isNoService(problem):
            out.fault(problem.told)
        case .success(let answer):
            memory.needsTimeProbe = false
            if case .other(let body) = answer { memory.learnTime(body) }
            if memory.isIdle {
                out.finish()
            } else if memory.wanted.isEmpty {
                becomeReady(memory: &memory, out: &out)
            } else {
                shakeHands(memory: &memory, out: &out)
            }
        }
    }

    /// Whether the answer comes from another server, such as a proxy, or from a service that is overloaded or restarting.
    static func isNoService(_ problem: PubNubProblem) -> Bool {
        [.malformedResponse, .overloaded, .serverRestart].contains(problem.category)
    }

    /// Sends a handshake: a subscribe request for the present list of channels and groups, which requests the current position of the
    /// service's stream. The handshake replaces the outstanding poll (rule PX-1).
    mutating func shakeHands(memory: inout PubNubMemory, out: inout Actions) {
        let timeout = min(memory.options.requestTimeout, out.timing.open)
        memory.asked.add(memory.wanted)
        let resumesAfter = questionable(memory, at: out.now)
        guard let id = subscribe(at: .start, resumesAfter: resumesAfter, timeout: timeout, memory: &memory, out: &out) else {
            return
        }
        step = .shakingHands(id)
    }

    /// If the connection was lost for so long that the service may have dropped messages: the position after which messages may be missing.
    /// The handshake asks the service whether messages after this position are missing (rule PX-111). Otherwise nil.
    private func questionable(_ memory: PubNubMemory, at now: Moment) -> Timetoken? {
        guard memory.wasAwayTooLong(at: now) else { return nil }
        if let startAt = memory.startAt { return startAt }
        return keepsPosition(memory) && memory.cursor.timetoken != .zero ? memory.cursor.timetoken : nil
    }

    /// Whether polling continues at the position from before the next handshake, instead of the position in the handshake's answer.
    private func keepsPosition(_ memory: PubNubMemory) -> Bool {
        (isReady ? memory.options.keepsTimetokenOnListChange : memory.options.catchesUpOnRestore)
            && memory.malformedPolls < Self.malformedPollLimit
    }

    mutating func poll(memory: inout PubNubMemory, out: inout Actions) {
        guard let id = subscribe(at: memory.cursor, timeout: memory.options.pollTimeout, memory: &memory, out: &out) else {
            return
        }
        step = .polling(HeldPoll(ids: id...id, since: out.now, askedAt: out.now))
    }

    /// Sends a poll or a handshake. Every subscribe request is made here.
    ///
    /// - Parameters:
    ///   - resumesAfter: the position after which a handshake asks for missing messages. The question is left out if it would make the
    ///     request too long.
    ///   - isRenewal: whether the request repeats the outstanding poll.
    /// - Returns: the request's number, or nil when the request is too long to be sent (rule PX-10).
    mutating func subscribe(
        at cursor: PubNubCursor, resumesAfter: Timetoken? = nil, timeout: Duration, isRenewal: Bool = false,
        memory: inout PubNubMemory, out: inout Actions
    ) -> UInt64? {
        out.cancelTimer(Self.pauseTimer)
        let request = PubNubRequest.subscribe(
            list: memory.list, cursor: cursor, resumesAfter: resumesAfter, filter: memory.filter,
            heartbeat: memory.options.heartbeatValue, state: memory.stateText(for: memory.wanted), settings: memory.settings)
        let exchange = memory.exchange(request, timeout: timeout)
        guard exchange.target.utf8.count <= Self.longestTarget else {
            if resumesAfter != nil {
                return subscribe(at: cursor, timeout: timeout, isRenewal: isRenewal, memory: &memory, out: &out)
            }
            fail(
                PubNubProblem(
                    ConnectionFailure(
                        .requestTooLong,
                        "The subscribe request is too long for the service. Use fewer channels and groups, or a shorter filter.")),
                out: &out)
            return nil
        }
        out.send(isRenewal ? .renewPoll(exchange) : .poll(exchange))
        return exchange.id
    }

    /// Handles the answer to a handshake, with which the service confirms the list of channels and groups (rules PX-4, PX-6 to PX-8, PX-11,
    /// PX-33 and PX-111).
    mutating func confirmed(
        at answer: PubNubCursor, _ messages: [PubNubMessage], memory: inout PubNubMemory, out: inout Actions
    ) {
        guard answer.timetoken != .zero else {
            fail(.malformed("The service's answer to a subscribe request has no position: its timetoken is 0."), out: &out)
            return
        }
        let before = memory.cursor
        let isRenewal = !isReady && !memory.confirmed.isEmpty
        let since = memory.deliveredUntil ?? out.now
        let next = PubNubContinuation(
            after: before, answer: answer, startAt: memory.startAt, keeps: keepsPosition(memory))
        // Polling no longer continues at the old position, because polls from there got malformed answers. The new position starts with a
        // count of 0.
        if memory.malformedPolls >= Self.malformedPollLimit { memory.malformedPolls = 0 }

        var missing = PubNubNames()
        if next.catchesUp, memory.wasAwayTooLong(at: out.now), !answer.isComplete {
            missing = memory.wanted
        } else if next.isMissing {
            missing = memory.confirmed.common(with: memory.wanted)
        }
        // While messages after the old position are still to be received, the time at which the connection was lost stays stored.
        if !next.catchesUp { memory.lostAt = nil }
        if let start = memory.startAt { memory.seen.forget(after: start) }
        memory.startAt = nil
        memory.cursor = next.cursor
        memory.cursor.followsGap = false
        memory.cursor.isComplete = false
        memory.toldGapAfter = missing.isEmpty ? nil : next.cursor.timetoken
        memory.confirmed = memory.wanted
        memory.needsTimeProbe = false
        if !next.catchesUp || !missing.isEmpty || memory.deliveredUntil == nil { memory.deliveredUntil = out.now }
        fruitless = 0
        zeros = 0

        // All messages in this answer are older than the answer's timetoken. If polling continues at the old position, the next polls
        // return these messages again, so they are dropped here.
        let batch = next.catchesUp ? [] : news(in: messages, memory: &memory)
        poll(memory: &memory, out: &out)
        becomeReady(memory: &memory, out: &out)
        out.emit(.subscribed(memory.list, previous: before, current: next.cursor, isRenewal: isRenewal))
        for waiter in memory.waiters { out.answer(waiter.id, .success(.subscribed)) }
        memory.waiters = []
        if !missing.isEmpty { out.emit(.gap(missing.list, since: since, after: before.timetoken)) }
        if !batch.isEmpty { out.emit(.messages(PubNubBatch(messages: batch, previous: before, current: next.cursor))) }
    }

    mutating func becomeReady(memory: inout PubNubMemory, out: inout Actions) {
        guard !isReady else { return }
        isReady = true
        out.ready()
        if memory.options.livenessInterval > .zero { out.limitSilence(to: memory.options.livenessInterval) }
        // The app may have declared the user present while there was no connection, so a heartbeat is sent now (rule PX-31).
        if memory.options.managesPresenceManually { sendHeartbeat(memory: &memory, out: &out) }
        startHeartbeats(memory: memory, out: &out)
        watchPolls(memory: memory, out: &out)
    }

    /// Handles the answer to a poll (rules PX-12 to PX-17).
    mutating func polled(
        _ answer: PubNubCursor, _ messages: [PubNubMessage], since sent: Moment, memory: inout PubNubMemory,
        out: inout Actions
    ) {
        let before = memory.cursor
        let since = memory.deliveredUntil ?? out.now
        zeros = answer.timetoken == .zero ? zeros + 1 : 0
        guard zeros < 2 else {
            fail(.malformed("The service's answer to a subscribe request has no position: its timetoken is 0."), out: &out)
            return
        }
        let isForeign = zeros == 0 && before.isOtherRegion(than: answer)
        if zeros == 0, isForeign || answer.timetoken > before.timetoken { memory.cursor.timetoken = answer.timetoken }
        if zeros == 0, let region = answer.region { memory.cursor.region = region }
        memory.deliveredUntil = out.now
        memory.lostAt = nil

        let batch = news(in: messages, memory: &memory)
        let isFruitless = batch.isEmpty || memory.cursor == before
        fruitless = isFruitless && out.now.duration(since: sent) < Self.quickAnswer ? fruitless + 1 : 0
        pollAgain(memory: &memory, out: &out)

        // A gap that the answer to the handshake has already reported is not reported a second time.
        let isNewGap = answer.followsGap && memory.toldGapAfter != before.timetoken
        memory.toldGapAfter = nil
        if isForeign || isNewGap || messages.count >= Self.fullBatch {
            out.emit(.gap(memory.confirmed.list, since: since, after: before.timetoken))
        }
        let threshold = memory.options.messageCountThreshold
        if threshold > 0, messages.count >= threshold {
            out.emit(.messageCountExceeded(count: messages.count, previous: before, current: memory.cursor))
        }
        if !batch.isEmpty { out.emit(.messages(PubNubBatch(messages: batch, previous: before, current: memory.cursor))) }
    }

    /// Sends the next poll at once. When the service has repeatedly answered at once without new messages, the next poll follows after a
    /// pause (rule PX-16).
    private mutating func pollAgain(memory: inout PubNubMemory, out: inout Actions) {
        guard fruitless >= 3 else {
            poll(memory: &memory, out: &out)
            return
        }
        step = .pausing
        out.startTimer(Self.pauseTimer, after: min(.milliseconds(10) * (1 << min(fruitless - 3, 10)), Self.quickAnswer))
    }

    /// Returns `messages` without those that were already delivered. If none of them was delivered, the array is returned without a copy.
    private func news(in messages: [PubNubMessage], memory: inout PubNubMemory) -> [PubNubMessage] {
        let repeated = memory.seen.insert(messages)
        guard !repeated.isEmpty else { return messages }
        let skipped = Set(repeated)
        return messages.indices.filter { !skipped.contains($0) }.map { messages[$0] }
    }
}

/// The position at which polling continues after a handshake (rules PX-6 to PX-8).
struct PubNubContinuation {
    var cursor: PubNubCursor
    /// Whether messages that were published before the handshake are still to be received.
    var catchesUp: Bool
    /// Whether messages may be missing on channels that an earlier handshake confirmed.
    var isMissing: Bool

    /// - Parameters:
    ///   - before: the last known position; `start` for none.
    ///   - answer: the position of the service's stream in the answer to the handshake.
    ///   - startAt: the position at which the user wants to begin; nil for none.
    ///   - keeps: whether to continue from `before`.
    init(after before: PubNubCursor, answer: PubNubCursor, startAt: Timetoken?, keeps: Bool) {
        let isKnown = before.timetoken != .zero
        let isForeign = isKnown && before.isOtherRegion(than: answer)
        if let startAt {
            cursor = PubNubCursor(timetoken: startAt, region: answer.region ?? before.region)
            catchesUp = true
            isMissing = isKnown && (isForeign || startAt > before.timetoken)
        } else if isKnown && keeps {
            // Each region of the service has a stream with its own timetokens, so a position in the old region's stream may lie in the
            // future of the new region's stream. Therefore the smaller one of the two timetokens is used.
            let timetoken = isForeign ? min(before.timetoken, answer.timetoken) : before.timetoken
            cursor = PubNubCursor(timetoken: timetoken, region: answer.region ?? before.region)
            catchesUp = true
            isMissing = isForeign || answer.timetoken < before.timetoken
        } else {
            cursor = answer
            catchesUp = false
            isMissing = isKnown
        }
    }
}

extension PubNubCursor {
    /// Whether the regions of both positions are known and differ.
    func isOtherRegion(than other: PubNubCursor) -> Bool {
        if let region, let theirs = other.region { region != theirs } else { false }
    }
}
