// Handles what transports and jobs report, such as received data or the result of a job. Reports that belong to an earlier attempt to
// connect are dropped (rule CN-9).
extension ConnectionMachine {
    /// Whether `attempt` is the current attempt to connect, and neither the attempt nor a connection that it has led to is over.
    @inlinable func isAlive(_ attempt: AttemptID) -> Bool {
        attempt == self.attempt && session != nil
    }

    @usableFromInline mutating func opened(_ attempt: AttemptID, at now: Moment, into effects: inout [Effect<Session>]) {
        guard isAlive(attempt), !isOpen else { return }
        isOpen = true
        lastHeard = now
        withSession(at: now, into: &effects) { session, memory, out in
            session.opened(memory: &memory, out: &out)
        }
    }

    /// Records when data was received, because only received bytes prove that the connection is alive (rule LV-1).
    @inlinable mutating func received(
        _ attempt: AttemptID, _ inbound: Session.Inbound, at now: Moment, into effects: inout [Effect<Session>]
    ) {
        guard isAlive(attempt), isOpen else { return }
        lastHeard = now
        withSession(at: now, into: &effects) { session, memory, out in
            session.received(inbound, memory: &memory, out: &out)
        }
    }

    @inlinable mutating func heard(_ attempt: AttemptID, at now: Moment) {
        guard isAlive(attempt), isOpen else { return }
        lastHeard = now
    }

    @usableFromInline mutating func closed(
        _ attempt: AttemptID, _ failure: ConnectionFailure, at now: Moment, into effects: inout [Effect<Session>]
    ) {
        guard attempt == self.attempt else { return }
        switch state {
        case .connecting, .connected:
            fail(failure, close: nil, at: now, into: &effects)
        case .disconnecting:
            cancel(.close, into: &effects)
            state = .disconnected
            announce(.disconnected, .disconnected, at: now, into: &effects)
        case .idle, .waiting, .suspended, .disconnected, .failed:
            return
        }
    }

    @usableFromInline mutating func finished(
        _ attempt: AttemptID, job: JobID, result: Result<Session.JobResult, ConnectionFailure>, at now: Moment,
        into effects: inout [Effect<Session>]
    ) {
        guard isAlive(attempt), work.jobs.accept(job) else { return }
        withSession(at: now, into: &effects) { session, memory, out in
            session.finished(job, result, memory: &memory, out: &out)
        }
    }

    /// Probes an open connection after every network change, waits in phase `suspended` without a route, and connects at once when there is
    /// a new route. Rules NW-1 to NW-3.
    @usableFromInline mutating func networkChanged(_ status: NetworkStatus, at now: Moment, into effects: inout [Effect<Session>])
    {
        network = status
        guard !isInBackground else { return }
        switch (state, status) {
        case (.connected, _):
            if probedAt == nil { probe(at: now, into: &effects) }
        case (.waiting, .unavailable):
            cancel(.retry, into: &effects)
            suspend(at: now, into: &effects)
        case (.waiting, .available), (.suspended, .available):
            cancel(.retry, into: &effects)
            dial(at: now, into: &effects)
        case (.suspended, .unavailable), (.idle, _), (.connecting, _), (.disconnecting, _), (.disconnected, _), (.failed, _):
            return
        }
    }
}
