// Handles the application's change to the background and its return. Rules BG-1 to BG-11.
extension ConnectionMachine {
    /// Handles the application's change to the background: starts the policy's grace period, after which the connection is closed (rule
    /// BG-9). Without a connection, an attempt to connect or a pause before an attempt, no grace period starts, and later attempts are
    /// suspended at once.
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

    /// Closes the connection and suspends all attempts to connect until ``leaveBackground(at:into:)``. A close handshake in progress
    /// continues.
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

    /// Connects at once, without a pause, if the connection was closed or requested while the application was in the background.
    ///
    /// A return within the grace period keeps the connection. The grace timer does not fire while the system suspends the process, so this
    /// function compares the time with the end of the grace period. If the grace period is over, the connection is replaced by a new one
    /// (rule BG-10).
    @usableFromInline mutating func leaveBackground(at now: Moment, into effects: inout [Effect<Session>]) {
        if let end = graceEnd {
            if now >= end {
                endGrace(at: now, into: &effects)
            } else {
                graceEnd = nil
                cancel(.grace, into: &effects)
                // The connection is probed, because the process may have been suspended. A suspended process does not notice a broken
                // connection.
                if state == .connected, probedAt == nil { probe(at: now, into: &effects) }
            }
        }
        guard isInBackground else { return }
        isInBackground = false
        guard state == .suspended else { return }
        failures = 0
        if startDeadline(deadline, at: now, into: &effects) { dial(at: now, into: &effects) }
    }

    /// Enters phase `suspended` without a retry timer. The phase is announced even if it was already `suspended` for lack of a network
    /// route.
    @usableFromInline mutating func waitForForeground(at now: Moment, into effects: inout [Effect<Session>]) {
        state = .suspended
        lastFailure = .inBackground
        announce(.suspended, .background, cause: .inBackground, willRetry: true, at: now, into: &effects)
    }
}

extension ConnectionFailure {
    /// The cause that is reported while the connection is closed because the application is in the background.
    public static let inBackground = ConnectionFailure(
        .background, "The application is in the background. The client connects when the application returns.")
}
