// The application goes to the background and comes back. Rules BG-1 to BG-11.
extension ConnectionMachine {
    /// Keeps the connection for the policy's grace period, and then closes it (rule BG-9). Without a connection, waiting requests are
    /// answered at once.
    @usableFromInline mutating func enterBackground(at now: Moment, into effects: inout [Effect<Session>]) {
        guard !isInBackground, graceEnd == nil, let grace = policy.backgroundGrace else { return }
        switch state {
        case .connecting, .connected, .waiting, .suspended:
            guard grace > .zero else { return suspendInBackground(at: now, into: &effects) }
            graceEnd = now + grace
            start(.grace, after: grace, into: &effects)
        case .idle, .disconnecting, .disconnected, .failed:
            suspendInBackground(at: now, into: &effects)
        }
    }

    @usableFromInline mutating func endGrace(at now: Moment, into effects: inout [Effect<Session>]) {
        guard graceEnd != nil else { return }
        graceEnd = nil
        cancel(.grace, into: &effects)
        suspendInBackground(at: now, into: &effects)
    }

    /// Closes the connection until ``leaveBackground(at:into:)``. A close handshake in progress continues.
    private mutating func suspendInBackground(at now: Moment, into effects: inout [Effect<Session>]) {
        guard !isInBackground else { return }
        isInBackground = true
        switch state {
        case .idle, .disconnecting, .disconnected, .failed:
            return
        case .connecting, .connected:
            if state == .connected {
                lostLink = true
                withSession(at: now, into: &effects, applyingEnding: false) { session, memory, out in
                    session.suspending(memory: &memory, out: &out)
                }
            }
            endAttempt(.inBackground, close: .abort, at: now, into: &effects)
        case .waiting, .suspended:
            cancel(.retry, into: &effects)
        }
        cancel(.deadline, into: &effects)
        waitForForeground(at: now, into: &effects)
    }

    /// Connects at once, without a pause, if the connection was closed in the background or requested there.
    ///
    /// A return within the grace period changes nothing. In a process that was suspended meanwhile no timer fired, so the end of the
    /// grace period is detected here, and the connection is not trusted any more (rule BG-10).
    @usableFromInline mutating func leaveBackground(at now: Moment, into effects: inout [Effect<Session>]) {
        if let end = graceEnd {
            if now >= end {
                endGrace(at: now, into: &effects)
            } else {
                graceEnd = nil
                cancel(.grace, into: &effects)
                // The process may not have run all the time, so the link may have been cut unnoticed.
                if state == .connected, probedAt == nil { probe(at: now, into: &effects) }
            }
        }
        guard isInBackground else { return }
        isInBackground = false
        guard state == .suspended else { return }
        failures = 0
        if startDeadline(deadline, at: now, into: &effects) { dial(at: now, into: &effects) }
    }

    /// Enters phase `suspended` without a timer. If the phase was already `suspended` because there was no route, the change announces
    /// that no attempt is scheduled.
    @usableFromInline mutating func waitForForeground(at now: Moment, into effects: inout [Effect<Session>]) {
        state = .suspended
        lastFailure = .inBackground
        announce(.suspended, .background, cause: .inBackground, willRetry: true, at: now, into: &effects)
    }
}

extension ConnectionFailure {
    /// The failure while the application is in the background.
    public static let inBackground = ConnectionFailure(
        .background, "The application is in the background. The client connects when the application returns.")
}
