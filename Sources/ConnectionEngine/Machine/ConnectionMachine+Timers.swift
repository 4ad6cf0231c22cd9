// Timers that have fired. A superseded or cancelled timer is no longer pending work.
extension ConnectionMachine {
    @usableFromInline mutating func timerFired(_ timer: TimerID, at now: Moment, into effects: inout [Effect<Session>]) {
        guard work.timers.accept(timer) else { return }
        switch timer.kind {
        case .open:
            guard state == .connecting else { return }
            let step = isOpen ? "The service did not confirm the connection" : "The connection could not be opened"
            fail(
                ConnectionFailure(.timeout, "\(step) within \(policy.timing.open.inSeconds) s."), close: .abort, at: now,
                into: &effects)
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

    /// Rules LV-2 to LV-4. The timer is not restarted for every frame: when it fires, the machine computes how long the silence really
    /// was.
    private mutating func silenceTimerFired(at now: Moment, into effects: inout [Effect<Session>]) {
        if let probedAt {
            guard let lastHeard, lastHeard > probedAt else {
                let silence = now.duration(since: lastHeard ?? probedAt)
                let reason = "Nothing was received for \(Int(silence.inSeconds.rounded())) s, nor an answer to a ping."
                fail(ConnectionFailure(.timeout, reason), close: .abort, at: now, into: &effects)
                return
            }
            self.probedAt = nil
        }
        watchSilence(at: now, into: &effects)
    }

    /// The longest silence before a probe.
    private var silenceLimit: Duration {
        min(policy.timing.activity, serverSilence ?? policy.timing.activity)
    }

    /// Sends a probe when the silence has reached the limit; otherwise waits for the rest of it.
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

    /// The caller's own time limit has ended. Rule CN-8.
    private mutating func deadlinePassed(at now: Moment, into effects: inout [Effect<Session>]) {
        switch state {
        case .connecting, .waiting, .suspended:
            runOutOfTime(at: now, into: &effects)
        case .idle, .connected, .disconnecting, .disconnected, .failed:
            return
        }
    }

    /// Ends the attempt or the pause in progress, and makes no further attempt. Rule CN-8.
    mutating func runOutOfTime(at now: Moment, into effects: inout [Effect<Session>]) {
        let failure = ConnectionFailure(.timeout, "Not connected within the time that the caller allowed.")
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
