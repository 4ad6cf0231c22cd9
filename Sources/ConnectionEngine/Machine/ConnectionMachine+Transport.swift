// Reports of transports and jobs. Reports of an older attempt are dropped here.
extension ConnectionMachine {
    /// Whether `attempt` is the current one.
    @inlinable func isAlive(_ attempt: AttemptID) -> Bool {
        attempt == self.attempt && session != nil
    }

    @usableFromInline mutating func opened(_ attempt: AttemptID, _ now: Moment, _ effects: inout [Effect<Session>]) {
        guard isAlive(attempt), !isOpen else { return }
        isOpen = true
        lastHeard = now
        withSession(now, &effects) { session, memory, out in
            session.opened(memory: &memory, out: &out)
        }
    }

    /// Rule LV-1: only received bytes prove that the link is alive.
    @inlinable mutating func received(
        _ attempt: AttemptID, _ inbound: Session.Inbound, _ now: Moment, _ effects: inout [Effect<Session>]
    ) {
        guard isAlive(attempt), isOpen else { return }
        lastHeard = now
        withSession(now, &effects) { session, memory, out in
            session.received(inbound, memory: &memory, out: &out)
        }
    }

    @inlinable mutating func heard(_ attempt: AttemptID, _ now: Moment) {
        guard isAlive(attempt), isOpen else { return }
        lastHeard = now
    }

    @usableFromInline mutating func closed(
        _ attempt: AttemptID, _ failure: ConnectionFailure, _ now: Moment, _ effects: inout [Effect<Session>]
    ) {
        guard attempt == self.attempt else { return }
        switch state {
        case .connecting, .connected:
            fail(failure, close: nil, now, &effects)
        case .disconnecting:
            cancel(.close, &effects)
            state = .disconnected
            announce(.disconnected, .disconnected, now, &effects)
        case .idle, .waiting, .suspended, .disconnected, .failed:
            return
        }
    }

    @usableFromInline mutating func finished(
        _ attempt: AttemptID, _ job: JobID, _ result: Result<Session.JobResult, ConnectionFailure>, _ now: Moment,
        _ effects: inout [Effect<Session>]
    ) {
        guard isAlive(attempt), work.jobs.accept(job) else { return }
        withSession(now, &effects) { session, memory, out in
            session.finished(job, result, memory: &memory, out: &out)
        }
    }

    /// Rules NW-1 to NW-3.
    @usableFromInline mutating func networkChanged(_ status: NetworkStatus, _ now: Moment, _ effects: inout [Effect<Session>]) {
        network = status
        guard !isInBackground else { return }
        switch (state, status) {
        case (.connected, _):
            if probedAt == nil { probe(now, &effects) }
        case (.waiting, .unavailable):
            cancel(.retry, &effects)
            suspend(now, &effects)
        case (.waiting, .available), (.suspended, .available):
            cancel(.retry, &effects)
            dial(now, &effects)
        case (.suspended, .unavailable), (.idle, _), (.connecting, _), (.disconnecting, _), (.disconnected, _), (.failed, _):
            return
        }
    }
}
