// Handles timers that have fired. A firing is ignored if the timer was cancelled or restarted before the machine handled the firing.
extension ConnectionMachine {
    @usableFromInline mutating func timerFired(_ timer: TimerID, at now: Moment, into effects: inout [Effect<Session>]) {
        guard work.timers.accept(timer) else { return }
        switch timer.kind {
        case .open:
            guard state == .connecting else { return }
            let limit = policy.timing.open.inSeconds
            let reason =
                isOpen
                ? "The service did not confirm the connection within \(limit) s."
                : "The connection could not be opened within \(limit) s."
            fail(ConnectionFailure(.timeout, reason), close: .abort, at: now, into: &effects)
        case .retry:
            guard state == .waiting || state == .suspended else { return }
            dial(at: now, into: &effects)
        case .silence:
            guard state == .connected else { return }
            silenceTimerFired(at: now, into: &effects)
        case .stable:
            guard state == .connected else { return }
            failures = 0
        case .close:
            guard state == .disconnecting else { return }
            effects.append(.close(attempt, .abort))
            state = .disconnected
            announce(.disconnected, .disconnected, at: now, into: &effects)
        case .deadline:
            deadlinePassed(at: now, into: &effects)
        case .grace:
            endGrace(at: now, into: &effects)
        case .session(let timer):
            withSession(at: now, into: &effects) { session, memory, out in
                session.timerFired(timer, memory: &memory, out: &out)
            }
        }
    }

    /// Handles the timer that watches for received data: probes a silent connection, or closes it when a probe stayed unanswered (rules
    /// LV-2 to LV-4). The timer is not restarted for every frame, so the real silence is computed from `lastHeard`.
    private mutating func silenceTimerFired(at now: Moment, into effects: inout [Effect<Session>]) {
        if let probedAt {
            guard let lastHeard, lastHeard > probedAt else {
                let silence = now.duration(since: lastHeard ?? probedAt)
                let reason = "Nothing was received for \(Int(silence.inSeconds.rounded())) s, although the client sent a ping."
                fail(ConnectionFailure(.timeout, reason), close: .abort, at: now, into: &effects)
                return
            }
            self.probedAt = nil
        }
        watchSilence(at: now, into: &effects)
    }

    /// How long the connection may be silent before it is probed: the shorter of the policy's limit and the server's limit.
    private var silenceLimit: Duration {
        min(policy.timing.activity, serverSilence ?? policy.timing.activity)
    }

    /// Probes the connection when nothing was received for `silenceLimit`; otherwise starts a timer for the rest of that time.
    @usableFromInline mutating func watchSilence(at now: Moment, into effects: inout [Effect<Session>]) {
        guard policy.probesSilence else {
            cancel(.silence, into: &effects)
            return
        }
        let silence = now.duration(since: lastHeard ?? now)
        if silence >= silenceLimit {
            probe(at: now, into: &effects)
        } else {
            start(.silence, after: silenceLimit - silence, into: &effects)
        }
    }

    @usableFromInline mutating func probe(at now: Moment, into effects: inout [Effect<Session>]) {
        guard policy.probesSilence else { return }
        probedAt = now
        withSession(at: now, into: &effects) { session, memory, out in
            session.probe(memory: &memory, out: &out)
        }
        guard state == .connected else { return }
        start(.silence, after: policy.timing.probe, into: &effects)
    }

    /// Handles the end of the time limit that the caller passed to `connect` (rule CN-8).
    private mutating func deadlinePassed(at now: Moment, into effects: inout [Effect<Session>]) {
        switch state {
        case .connecting, .waiting, .suspended:
            runOutOfTime(at: now, into: &effects)
        case .idle, .connected, .disconnecting, .disconnected, .failed:
            return
        }
    }

    /// Ends the present attempt to connect, or the pause before the next attempt, because the time limit of `connect` is over (rule CN-8).
    /// The machine enters phase `failed`.
    mutating func runOutOfTime(at now: Moment, into effects: inout [Effect<Session>]) {
        let failure = ConnectionFailure(.timeout, "The client did not connect within the time limit that the caller set.")
        if state == .connecting { endAttempt(failure, close: .abort, at: now, into: &effects) }
        cancel(.retry, into: &effects)
        giveUp(failure, at: now, into: &effects)
    }

    @usableFromInline mutating func start(_ kind: TimerID.Kind, after duration: Duration, into effects: inout [Effect<Session>]) {
        effects.append(.startTimer(work.timers.start(kind), after: max(duration, .zero)))
    }

    @usableFromInline mutating func cancel(_ kind: TimerID.Kind, into effects: inout [Effect<Session>]) {
        if let timer = work.timers.cancel(kind) { effects.append(.cancelTimer(timer)) }
    }
}
