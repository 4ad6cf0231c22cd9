// Timers that have fired. A superseded or cancelled timer is no longer pending work.
extension ConnectionMachine {
    @usableFromInline mutating func timerFired(_ timer: TimerID, _ now: Moment, _ effects: inout [Effect<Session>]) {
        guard work.timers.accept(timer) else { return }
        switch timer.kind {
        case .open:
            guard state == .connecting else { return }
            let step = isOpen ? "The service did not confirm the connection" : "The connection could not be opened"
            fail(
                ConnectionFailure(.timeout, "\(step) within \(policy.timing.open.inSeconds) s."), close: .abort, now, &effects)
        case .retry:
            guard state == .waiting || state == .suspended else { return }
            dial(now, &effects)
        case .silence:
            guard state == .connected else { return }
            silenceTimerFired(now, &effects)
        case .stable:
            guard state == .connected else { return }
            failures = 0
        case .close:
            guard state == .disconnecting else { return }
            effects.append(.close(attempt, .abort))
            state = .disconnected
            announce(.disconnected, .disconnected, now, &effects)
        case .deadline:
            deadlinePassed(now, &effects)
        case .grace:
            endGrace(now, &effects)
        case .session(let timer):
            withSession(now, &effects) { session, memory, out in
                session.timerFired(timer, memory: &memory, out: &out)
            }
        }
    }

    /// Rules LV-2 to LV-4. The timer is not restarted for every frame: when it fires, the machine computes how long the silence really
    /// was.
    private mutating func silenceTimerFired(_ now: Moment, _ effects: inout [Effect<Session>]) {
        if let probedAt {
            guard let lastHeard, lastHeard > probedAt else {
                let silence = now.duration(since: lastHeard ?? probedAt)
                let reason = "Nothing was received for \(Int(silence.inSeconds.rounded())) s, nor an answer to a ping."
                fail(ConnectionFailure(.timeout, reason), close: .abort, now, &effects)
                return
            }
            self.probedAt = nil
        }
        watchSilence(now, &effects)
    }

    /// The longest silence before a probe.
    private var silenceLimit: Duration {
        min(policy.timing.activity, serverSilence ?? policy.timing.activity)
    }

    /// Sends a probe when the silence has reached the limit; otherwise waits for the rest of it.
    @usableFromInline mutating func watchSilence(_ now: Moment, _ effects: inout [Effect<Session>]) {
        guard policy.probesSilence else {
            cancel(.silence, &effects)
            return
        }
        let silence = now.duration(since: lastHeard ?? now)
        if silence >= silenceLimit {
            probe(now, &effects)
        } else {
            start(.silence, after: silenceLimit - silence, &effects)
        }
    }

    @usableFromInline mutating func probe(_ now: Moment, _ effects: inout [Effect<Session>]) {
        guard policy.probesSilence else { return }
        probedAt = now
        withSession(now, &effects) { session, memory, out in
            session.probe(memory: &memory, out: &out)
        }
        guard state == .connected else { return }
        start(.silence, after: policy.timing.probe, &effects)
    }

    /// The caller's own time limit has ended. Rule CN-8.
    private mutating func deadlinePassed(_ now: Moment, _ effects: inout [Effect<Session>]) {
        switch state {
        case .connecting, .waiting, .suspended:
            runOutOfTime(now, &effects)
        case .idle, .connected, .disconnecting, .disconnected, .failed:
            return
        }
    }

    /// Ends the attempt or the pause in progress, and makes no further attempt. Rule CN-8.
    mutating func runOutOfTime(_ now: Moment, _ effects: inout [Effect<Session>]) {
        let failure = ConnectionFailure(.timeout, "Not connected within the time that the caller allowed.")
        if state == .connecting { endAttempt(failure, close: .abort, now, &effects) }
        cancel(.retry, &effects)
        giveUp(failure, now, &effects)
    }

    @usableFromInline mutating func start(_ kind: TimerID.Kind, after duration: Duration, _ effects: inout [Effect<Session>]) {
        effects.append(.startTimer(work.timers.start(kind), after: max(duration, .zero)))
    }

    @usableFromInline mutating func cancel(_ kind: TimerID.Kind, _ effects: inout [Effect<Session>]) {
        if let timer = work.timers.cancel(kind) { effects.append(.cancelTimer(timer)) }
    }
}
