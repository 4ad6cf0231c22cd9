// The application goes to the background and comes back. Rules BG-1 to BG-8.
extension ConnectionMachine {
    /// Gives the connection up until ``leaveBackground(_:_:)``. A closing handshake that is under way goes on.
    @usableFromInline mutating func enterBackground(_ now: Moment, _ effects: inout [Effect<Session>]) {
        guard !isInBackground else { return }
        isInBackground = true
        switch state {
        case .idle, .disconnecting, .disconnected, .failed:
            return
        case .connecting, .connected:
            if state == .connected {
                lostLink = true
                withSession(now, &effects, applyingEnding: false) { session, memory, out in
                    session.suspending(memory: &memory, out: &out)
                }
            }
            endAttempt(.inBackground, close: .abort, now, &effects)
        case .waiting, .suspended:
            cancel(.retry, &effects)
        }
        cancel(.deadline, &effects)
        waitForForeground(now, &effects)
    }

    /// Connects at once, without a pause, if the connection was given up in the background or asked for there.
    @usableFromInline mutating func leaveBackground(_ now: Moment, _ effects: inout [Effect<Session>]) {
        guard isInBackground else { return }
        isInBackground = false
        guard state == .suspended else { return }
        failures = 0
        if startDeadline(deadline, now, &effects) { dial(now, &effects) }
    }

    /// Phase `suspended` without a timer. Who was suspended already, for want of a route, learns that no attempt is to come.
    @usableFromInline mutating func waitForForeground(_ now: Moment, _ effects: inout [Effect<Session>]) {
        state = .suspended
        lastFailure = .inBackground
        announce(.suspended, .background, cause: .inBackground, willRetry: true, now, &effects)
    }
}

extension ConnectionFailure {
    /// Why there is no connection while the application is in the background.
    public static let inBackground = ConnectionFailure(
        .background, "The application is in the background. The client connects when the application returns.")
}
