// How an attempt to connect begins and ends.
extension ConnectionMachine {
    /// Begins an attempt to connect: makes a new session and requests a transport. No other code begins an attempt.
    @usableFromInline mutating func dial(at now: Moment, into effects: inout [Effect<Session>]) {
        attempt = AttemptID(attempt.value + 1)
        session = Session(memory: &storedMemory)
        isOpen = false
        lastHeard = nil
        probedAt = nil
        serverSilence = nil
        state = .connecting
        announce(.connecting, lastFailure?.category ?? .connecting, cause: lastFailure, at: now, into: &effects)
        start(.open, after: policy.timing.open, into: &effects)
        effects.append(.open(attempt, Session.endpoint(for: storedMemory)))
    }

    /// Ends the current attempt to connect, or the connection that the attempt has led to: ends the session, closes the transport with
    /// `reason`, and cancels timers and jobs.
    @usableFromInline mutating func endAttempt(
        _ failure: ConnectionFailure?, close reason: CloseReason?, at now: Moment, into effects: inout [Effect<Session>]
    ) {
        if var ending = session.take() {
            var out = takeActions(at: now, into: &effects, canSend: false)
            ending.ended(failure, lastHeard: lastHeard, memory: &storedMemory, out: &out)
            giveBack(&out, into: &effects)
        }
        isOpen = false
        probedAt = nil
        if let reason { effects.append(.close(attempt, reason)) }
        if work.jobs.forgetAll() { effects.append(.cancelJobs(attempt)) }
        let stopped = work.timers.cancelAll { kind in
            switch kind {
            case .open, .silence, .stable, .session: true
            case .retry, .close, .deadline, .grace: false
            }
        }
        for timer in stopped { effects.append(.cancelTimer(timer)) }
    }

    /// Ends a failed attempt to connect or a lost connection, and then retries or gives up according to the retry table. Closes the
    /// transport as `reason` says; `reason` is nil when the transport is closed already. Rules RT-1 to RT-6.
    @usableFromInline mutating func fail(
        _ failure: ConnectionFailure, close reason: CloseReason?, at now: Moment, into effects: inout [Effect<Session>]
    ) {
        let wasConnected = state == .connected
        let failure = Session.classify(failure, memory: &storedMemory)
        endAttempt(failure, close: reason, at: now, into: &effects)
        lastFailure = failure
        if wasConnected { lostLink = true }

        let schedule = policy.schedule(for: failure)
        guard schedule != .never, policy.retriesAutomatically || Session.insistsOnRetry(after: failure) else {
            giveUp(failure, at: now, into: &effects)
            return
        }
        if network == .unavailable {
            suspend(at: now, into: &effects)
            return
        }
        if failures == 0 { startedConnected = wasConnected }
        if let most = policy.retryLimit(for: failure), failures >= most {
            giveUp(failureAtLimit(failure), at: now, into: &effects)
            return
        }
        failures += 1
        var pause =
            schedule.pause(afterFailures: failures, wasConnected: startedConnected, using: &work.random) ?? .zero
        if let asked = failure.retryAfter { pause = max(pause, asked.clamped(to: .zero...schedule.cap)) }
        state = .waiting
        start(.retry, after: pause, into: &effects)
        announce(.waiting, failure.category, cause: failure, retryIn: pause, willRetry: true, at: now, into: &effects)
    }

    /// Returns the failure that is reported when the retry limit is reached: `failure`, whose reason then begins with "Gave up after N
    /// attempts". Rule RT-4.
    private func failureAtLimit(_ failure: ConnectionFailure) -> ConnectionFailure {
        // `failures` counts the loss of a working connection as well, which is not a failed attempt to connect.
        let attempts = startedConnected ? failures : failures + 1
        guard failures > 0 else { return failure }
        var failure = failure
        failure.reason = "Gave up after \(attempts) attempt\(attempts == 1 ? "" : "s"). \(failure.reason)"
        return failure
    }

    /// Enters phase `suspended` until the system reports a network route. In case the system never reports a route, a retry timer starts
    /// the next attempt to connect (rule NW-2).
    @usableFromInline mutating func suspend(at now: Moment, into effects: inout [Effect<Session>]) {
        state = .suspended
        start(.retry, after: policy.cap, into: &effects)
        announce(
            .suspended, .networkUnavailable, cause: lastFailure, retryIn: policy.cap, willRetry: true, at: now, into: &effects)
    }

    /// Enters phase `failed`: no further attempt to connect is made until the next `connect`.
    @usableFromInline mutating func giveUp(_ failure: ConnectionFailure, at now: Moment, into effects: inout [Effect<Session>]) {
        cancel(.deadline, into: &effects)
        deadline = nil
        lastFailure = failure
        state = .failed(failure)
        announce(.failed, failure.category, cause: failure, at: now, into: &effects)
        answerAllPending(failure, into: &effects)
        // An application in the background keeps its connection only during the grace period. There is no connection any more, so the grace
        // period ends now. A later `connect` takes effect when the application returns to the foreground (rule BG-11).
        endGrace(at: now, into: &effects)
    }

    /// Enters the state `connected` after the service has confirmed the connection. `SessionActions.ready` has already announced the state.
    @usableFromInline mutating func becomeConnected(at now: Moment, into effects: inout [Effect<Session>]) {
        state = .connected
        cancel(.open, into: &effects)
        cancel(.deadline, into: &effects)
        deadline = nil
        lastHeard = now
        if failures > 0 { start(.stable, after: policy.timing.stable, into: &effects) }
        watchSilence(at: now, into: &effects)
    }

    @usableFromInline mutating func announce(
        _ phase: ConnectionPhase, _ category: StatusCategory, cause: ConnectionFailure? = nil, retryIn: Duration? = nil,
        willRetry: Bool = false, at now: Moment, into effects: inout [Effect<Session>]
    ) {
        // After a requested disconnect, the announced number of failed attempts to connect is 0.
        let attempt = phase == .disconnecting || phase == .disconnected ? 0 : failures
        lastChange = ConnectionChange(
            previous: lastChange.phase, phase: phase, category: category, cause: cause, attempt: attempt, retryIn: retryIn,
            willRetry: willRetry, at: now)
        effects.append(.announce(lastChange))
    }
}

// Calls the methods of the current session. For each call, the machine moves its pending work and the effects so far into a
// `SessionActions` value, and the session adds its actions to this value. After the call, the machine takes its pending work and the
// effects back.
extension ConnectionMachine {
    @usableFromInline typealias SessionCall = (inout Session, inout Session.Memory, inout SessionActions<Session>) -> Void

    /// Calls the current session and applies its actions.
    @inlinable mutating func withSession(
        at now: Moment, into effects: inout [Effect<Session>], applyingEnding: Bool = true, _ call: SessionCall
    ) {
        guard var live = session.take() else { return }
        var out = takeActions(at: now, into: &effects, canSend: isOpen)
        call(&live, &storedMemory, &out)
        session = live
        let (becameReady, ending, silence) = (out.becameReady, out.ending, out.silence)
        giveBack(&out, into: &effects)

        if let silence { serverSilence = silence }
        if becameReady {
            lastChange = ConnectionChange(
                previous: .connecting, phase: .connected, category: out.readyCategory ?? .connected, at: now)
            becomeConnected(at: now, into: &effects)
        } else if silence != nil && state == .connected && probedAt == nil {
            watchSilence(at: now, into: &effects)
        }
        guard applyingEnding, let ending else { return }
        switch ending {
        case .fault(let failure): fail(failure, close: .abort, at: now, into: &effects)
        case .finish: disconnect(at: now, into: &effects)
        }
    }

    /// Moves the effects so far and the machine's pending work into the `SessionActions` value for one call of the session. Moving instead
    /// of copying avoids new allocations for the arrays.
    @inlinable mutating func takeActions(
        at now: Moment, into effects: inout [Effect<Session>], canSend: Bool
    ) -> SessionActions<Session> {
        var out = SessionActions<Session>(
            now: now, timing: policy.timing, canSend: canSend, attempt: attempt, readyCategory: readyCategory,
            effects: [], work: PendingWork(random: SeededRandom(seed: 0)))
        swap(&out.effects, &effects)
        swap(&out.work, &work)
        return out
    }

    @inlinable mutating func giveBack(_ out: inout SessionActions<Session>, into effects: inout [Effect<Session>]) {
        swap(&out.effects, &effects)
        swap(&out.work, &work)
    }

    /// The category with which `ready` announces the connection: `reconnected` after the loss of a working connection, otherwise
    /// `connected`. Nil when no attempt to connect is in progress.
    @inlinable var readyCategory: StatusCategory? {
        guard state == .connecting else { return nil }
        return lostLink ? .reconnected : .connected
    }
}
