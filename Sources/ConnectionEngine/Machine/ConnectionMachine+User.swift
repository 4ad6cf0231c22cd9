// Inputs of users.
extension ConnectionMachine {
    /// Begins an attempt to connect at once, unless the machine is connected, connecting, or in the background. Rules CN-1 to CN-4.
    @usableFromInline mutating func connect(within limit: Duration?, at now: Moment, into effects: inout [Effect<Session>]) {
        switch state {
        case .connected:
            return
        case .connecting:
            _ = startDeadline(limit, at: now, into: &effects)
        case .suspended where isInBackground:
            deadline = limit ?? deadline
        case .waiting, .suspended:
            cancel(.retry, into: &effects)
            if startDeadline(limit, at: now, into: &effects) { dial(at: now, into: &effects) }
        case .disconnecting:
            cancel(.close, into: &effects)
            effects.append(.close(attempt, .abort))
            state = .disconnected
            announce(.disconnected, .disconnected, at: now, into: &effects)
            startAfresh(within: limit, at: now, into: &effects)
        case .idle, .disconnected, .failed:
            startAfresh(within: limit, at: now, into: &effects)
        }
    }

    private mutating func startAfresh(within limit: Duration?, at now: Moment, into effects: inout [Effect<Session>]) {
        failures = 0
        lastFailure = nil
        deadline = limit
        if isInBackground {
            waitForForeground(at: now, into: &effects)
            return
        }
        if startDeadline(limit, at: now, into: &effects) { dial(at: now, into: &effects) }
    }

    /// Starts the time limit of `connect` (rule CN-8). If the limit is zero or less, enters phase `failed` and returns false.
    mutating func startDeadline(_ limit: Duration?, at now: Moment, into effects: inout [Effect<Session>]) -> Bool {
        guard let limit else { return true }
        deadline = limit
        guard limit > .zero else {
            // `connecting` is announced first, so that callers can distinguish this failure from the failure of an earlier call.
            switch state {
            case .idle, .disconnected, .failed: announce(.connecting, .connecting, at: now, into: &effects)
            case .connecting, .connected, .waiting, .suspended, .disconnecting: break
            }
            runOutOfTime(at: now, into: &effects)
            return false
        }
        start(.deadline, after: limit, into: &effects)
        return true
    }

    /// Closes the connection in any phase. From `connected` it sends the close handshake first. Rules CN-5 to CN-7.
    @usableFromInline mutating func disconnect(at now: Moment, into effects: inout [Effect<Session>]) {
        // The user does not want the connection any more. Therefore the grace period ends now, in which an application in the background
        // would keep its connection (rule BG-11).
        if graceEnd != nil {
            graceEnd = nil
            cancel(.grace, into: &effects)
            isInBackground = true
        }
        lostLink = false
        switch state {
        case .idle, .disconnected, .disconnecting, .failed:
            break
        case .connecting:
            cancel(.deadline, into: &effects)
            endAttempt(nil, close: .abort, at: now, into: &effects)
            state = .disconnected
            announce(.disconnected, .disconnected, at: now, into: &effects)
        case .connected:
            withSession(at: now, into: &effects, applyingEnding: false) { session, memory, out in
                session.closing(memory: &memory, out: &out)
            }
            endAttempt(nil, close: .goodbye, at: now, into: &effects)
            state = .disconnecting
            start(.close, after: policy.timing.close, into: &effects)
            announce(.disconnecting, .disconnected, at: now, into: &effects)
        case .waiting, .suspended:
            cancel(.retry, into: &effects)
            cancel(.deadline, into: &effects)
            state = .disconnected
            announce(.disconnected, .disconnected, at: now, into: &effects)
        }
        answerAllPending(.disconnectedOnRequest, into: &effects)
    }

    /// Rule RT-7.
    @usableFromInline mutating func cancelRetry(at now: Moment, into effects: inout [Effect<Session>]) {
        guard state == .waiting || state == .suspended, let lastFailure else { return }
        cancel(.retry, into: &effects)
        giveUp(lastFailure, at: now, into: &effects)
    }

    /// Passes a user's command to the session, which answers the request `id` exactly once. In phase `failed` the machine answers the
    /// request immediately with the cause of the failure, unless the session has answered it. Rules RQ-1 to RQ-4.
    @usableFromInline mutating func perform(
        _ command: Session.Command, id: RequestID?, at now: Moment, into effects: inout [Effect<Session>]
    ) {
        if let id, !work.pending.insert(id).inserted { return }
        if session != nil && isOpen {
            withSession(at: now, into: &effects) { session, memory, out in
                session.perform(command, id: id, memory: &memory, out: &out)
            }
            return
        }
        var out = takeActions(at: now, into: &effects, canSend: false)
        Session.performOffline(command, id: id, memory: &storedMemory, out: &out)
        giveBack(&out, into: &effects)
        // In phase `failed` no further attempt to connect is made, so the request is answered now.
        if case .failed(let cause) = state, let id, work.pending.remove(id) != nil {
            effects.append(.answer(id, .failure(cause)))
        }
    }

    /// Answers a request as cancelled, because its caller has stopped waiting. A request that was not sent yet is never sent. Rules RQ-5
    /// and RQ-6.
    @usableFromInline mutating func abandon(_ id: RequestID, into effects: inout [Effect<Session>]) {
        guard work.pending.remove(id) != nil else { return }
        let isWithdrawn = Session.withdraw(id, memory: &storedMemory)
        effects.append(.answer(id, .failure(isWithdrawn ? .withdrawnByCaller : .cancelledByCaller)))
    }

    @usableFromInline mutating func update(_ policy: ConnectionPolicy, at now: Moment, into effects: inout [Effect<Session>]) {
        self.policy = policy
        guard state == .connected, probedAt == nil else { return }
        watchSilence(at: now, into: &effects)
    }

    @usableFromInline mutating func answerAllPending(_ failure: ConnectionFailure, into effects: inout [Effect<Session>]) {
        guard !work.pending.isEmpty else { return }
        let ids = work.pending.sorted()
        work.pending.removeAll()
        for id in ids { effects.append(.answer(id, .failure(failure))) }
    }
}
