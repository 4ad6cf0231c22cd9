// Inputs of users.
extension ConnectionMachine {
    /// Rules CN-1 to CN-4.
    @usableFromInline mutating func connect(within limit: Duration?, _ now: Moment, _ effects: inout [Effect<Session>]) {
        switch state {
        case .connected:
            return
        case .connecting:
            _ = startDeadline(limit, now, &effects)
        case .suspended where isInBackground:
            deadline = limit ?? deadline
        case .waiting, .suspended:
            cancel(.retry, &effects)
            if startDeadline(limit, now, &effects) { dial(now, &effects) }
        case .disconnecting:
            cancel(.close, &effects)
            effects.append(.close(attempt, .abort))
            state = .disconnected
            announce(.disconnected, .disconnected, now, &effects)
            startAfresh(within: limit, now, &effects)
        case .idle, .disconnected, .failed:
            startAfresh(within: limit, now, &effects)
        }
    }

    private mutating func startAfresh(within limit: Duration?, _ now: Moment, _ effects: inout [Effect<Session>]) {
        failures = 0
        lastFailure = nil
        deadline = limit
        if isInBackground {
            waitForForeground(now, &effects)
            return
        }
        if startDeadline(limit, now, &effects) { dial(now, &effects) }
    }

    /// Rule CN-8. Gives up at once, and returns false, when the limit leaves no time.
    mutating func startDeadline(_ limit: Duration?, _ now: Moment, _ effects: inout [Effect<Session>]) -> Bool {
        guard let limit else { return true }
        deadline = limit
        guard limit > .zero else {
            // Callers distinguish the outcome of this call from an earlier one by the phase before it.
            switch state {
            case .idle, .disconnected, .failed: announce(.connecting, .connecting, now, &effects)
            case .connecting, .connected, .waiting, .suspended, .disconnecting: break
            }
            runOutOfTime(now, &effects)
            return false
        }
        start(.deadline, after: limit, &effects)
        return true
    }

    /// Rules CN-5 to CN-7.
    @usableFromInline mutating func disconnect(_ now: Moment, _ effects: inout [Effect<Session>]) {
        // An unwanted connection needs no grace: later requests wait for the return to the foreground.
        if graceEnd != nil {
            graceEnd = nil
            cancel(.grace, &effects)
            isInBackground = true
        }
        lostLink = false
        switch state {
        case .idle, .disconnected, .disconnecting, .failed:
            break
        case .connecting:
            cancel(.deadline, &effects)
            endAttempt(nil, close: .abort, now, &effects)
            state = .disconnected
            announce(.disconnected, .disconnected, now, &effects)
        case .connected:
            withSession(now, &effects, applyingEnding: false) { session, memory, out in
                session.closing(memory: &memory, out: &out)
            }
            endAttempt(nil, close: .goodbye, now, &effects)
            state = .disconnecting
            start(.close, after: policy.timing.close, &effects)
            announce(.disconnecting, .disconnected, now, &effects)
        case .waiting, .suspended:
            cancel(.retry, &effects)
            cancel(.deadline, &effects)
            state = .disconnected
            announce(.disconnected, .disconnected, now, &effects)
        }
        answerAllPending(.disconnectedOnRequest, &effects)
    }

    /// Rule RT-7.
    @usableFromInline mutating func cancelRetry(_ now: Moment, _ effects: inout [Effect<Session>]) {
        guard state == .waiting || state == .suspended, let lastFailure else { return }
        cancel(.retry, &effects)
        giveUp(lastFailure, now, &effects)
    }

    /// Rules RQ-1 to RQ-4.
    @usableFromInline mutating func perform(
        _ command: Session.Command, _ id: RequestID?, _ now: Moment, _ effects: inout [Effect<Session>]
    ) {
        if let id, !work.pending.insert(id).inserted { return }
        if session != nil && isOpen {
            withSession(now, &effects) { session, memory, out in
                session.perform(command, id: id, memory: &memory, out: &out)
            }
            return
        }
        var out = takeActions(now, &effects, canSend: false)
        Session.performOffline(command, id: id, memory: &storedMemory, out: &out)
        giveBack(&out, &effects)
        // There will be no further attempt, so the request would never be answered.
        if case .failed(let cause) = state, let id, work.pending.remove(id) != nil {
            effects.append(.answer(id, .failure(cause)))
        }
    }

    /// Rules RQ-5 and RQ-6.
    @usableFromInline mutating func abandon(_ id: RequestID, _ effects: inout [Effect<Session>]) {
        guard work.pending.remove(id) != nil else { return }
        let isWithdrawn = Session.withdraw(id, memory: &storedMemory)
        effects.append(.answer(id, .failure(isWithdrawn ? .withdrawnByCaller : .cancelledByCaller)))
    }

    @usableFromInline mutating func update(_ policy: ConnectionPolicy, _ now: Moment, _ effects: inout [Effect<Session>]) {
        self.policy = policy
        guard state == .connected, probedAt == nil else { return }
        watchSilence(now, &effects)
    }

    @usableFromInline mutating func answerAllPending(_ failure: ConnectionFailure, _ effects: inout [Effect<Session>]) {
        guard !work.pending.isEmpty else { return }
        let ids = work.pending.sorted()
        work.pending.removeAll()
        for id in ids { effects.append(.answer(id, .failure(failure))) }
    }
}
