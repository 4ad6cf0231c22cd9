import ConnectionEngine

// Passes inputs to the machine, performs its effects in the simulation and checks the rules.
extension Simulator {
    mutating func feed(_ input: Input<Session>, _ what: @autoclosure () -> String) throws(Violation) {
        note(what())
        try service.timePasses(to: now)
        var effects: [Effect<Session>] = []
        machine.handle(input, at: now, into: &effects)
        for effect in effects { try perform(effect) }
        try checkWayForward()
    }

    private mutating func perform(_ effect: Effect<Session>) throws(Violation) {
        switch effect {
        case .open(let attempt, _):
            try open(attempt)
        case .send(let attempt, let outbound):
            try send(outbound, attempt)
        case .close(let attempt, let reason):
            try close(attempt, reason)
        case .run(let attempt, let id, let job):
            guard attempt == link?.attempt else { throw Violation("A job was started for \(attempt), which has ended.") }
            jobs.insert(id)
            let result = service.outcome(of: job, &random)
            if Int.random(in: 0..<10, using: &random) > 0 {
                schedule(.jobEnds(attempt, id, result), at: now + random.duration(in: .zero...(.seconds(3))))
            }
        case .cancelJobs:
            jobs.removeAll()
        case .startTimer(let id, let duration):
            guard duration >= .zero else { throw Violation("Timer \(id) runs backwards: \(duration)") }
            if let superseded = timers.updateValue((id, now + duration), forKey: id.kind) { staleTimers.append(superseded.id) }
        case .cancelTimer(let id):
            if timers[id.kind]?.id == id {
                timers[id.kind] = nil
                staleTimers.append(id)
            }
        case .announce(let change):
            try announce(change)
        case .deliver(let event):
            countEvent()
            note("event \(event)")
            try service.observe(event)
        case .answer(let id, let result):
            countAnswer()
            note("answer \(id) \(result)")
            guard unanswered.remove(id) != nil else { throw Violation("Request \(id) was answered twice or never submitted.") }
            try service.observe(id, result)
        }
    }

    /// Opens an attempt to connect, and checks that no other attempt or connection is open (rule SM-1).
    private mutating func open(_ attempt: AttemptID) throws(Violation) {
        guard link == nil else { throw Violation("\(attempt) was opened while \(String(describing: link)) is open.") }
        guard attempt > lastAttempt else {
            throw Violation("\(attempt) was opened after \(lastAttempt), but its number is not higher.")
        }
        lastAttempt = attempt
        link = SimulatedLink(attempt: attempt, phase: .dialling, lastArrivalUp: now, lastArrivalDown: now)
        let delay = random.duration(in: .milliseconds(1)...(.milliseconds(500)))
        switch network {
        case .working:
            schedule(.opened(attempt), at: now + delay)
        case .refusing:
            schedule(.closed(attempt, ConnectionFailure(.networkUnavailable, "Refused.", errno: 111)), at: now + delay)
        case .mute:
            return
        }
    }

    private mutating func send(_ outbound: Session.Outbound, _ attempt: AttemptID) throws(Violation) {
        guard var link, link.attempt == attempt, link.phase == .open || link.phase == .halfOpen else {
            throw Violation("\(outbound) was sent on \(attempt), which is not open.")
        }
        service.clientSends(outbound)
        let service = service
        due.removeAll { _, _, occurrence in
            switch occurrence {
            case .clientReceives(_, let inbound): service.supersedes(outbound, answer: inbound)
            case .serverReceives(_, let older): service.supersedes(outbound, request: older)
            default: false
            }
        }
        let arrival = max(link.lastArrivalUp, now + drawLatency())
        link.lastArrivalUp = arrival
        self.link = link
        schedule(.serverReceives(attempt, outbound), at: arrival)
    }

    private mutating func close(_ attempt: AttemptID, _ reason: CloseReason) throws(Violation) {
        guard let link, link.attempt == attempt else { throw Violation("\(attempt) was closed, but it had ended before.") }
        if reason == .abort {
            dropLink()
            return
        }
        let answers = link.phase == .open && Int.random(in: 0..<5, using: &random) > 0
        self.link?.phase = .closing
        if answers {
            let failure = ConnectionFailure(.disconnected, "Goodbye.", closeCode: 1000)
            schedule(.closed(attempt, failure), at: max(link.lastArrivalUp, now) + .milliseconds(50))
        }
    }

    /// Checks that a change follows the previous phase, is a legal transition, and has a cause where one is required (rule SM-2).
    private mutating func announce(_ change: ConnectionChange) throws(Violation) {
        note("\(change.previous) -> \(change.phase) \(change.category) \(change.retryIn.map { "\($0)" } ?? "")")
        count(change)
        guard change.previous == phase else { throw Violation("\(change) does not start in the present phase \(phase).") }
        guard LegalTransitions.allow(change.previous, change.phase) else { throw Violation("Illegal: \(change)") }
        let hasCause = change.cause != nil
        if [.waiting, .suspended, .failed].contains(change.phase) != hasCause && change.phase != .connecting {
            throw Violation("A cause is missing or out of place: \(change)")
        }
        phase = change.phase
        try service.observe(change)
    }

    /// Checks that the timer which ends or watches the present phase is running, and that no timer, job or connection is left over from
    /// another phase (rules SM-3 to SM-5).
    private func checkWayForward() throws(Violation) {
        switch phase {
        case .connecting where timers[.open] == nil: throw Violation("The phase is connecting, and no timer limits the attempt.")
        case .connected where probesSilence && timers[.silence] == nil:
            throw Violation("The phase is connected, and no timer detects a silent connection.")
        case .waiting where timers[.retry] == nil: throw Violation("The phase is waiting, and no timer starts the next attempt.")
        case .suspended where isInBackground:
            guard timers.isEmpty, jobs.isEmpty, link == nil else {
                throw Violation(
                    "Timers \(timers.keys), jobs \(jobs), link \(String(describing: link)) are left over in the background.")
            }
        case .suspended where timers[.retry] == nil:
            throw Violation("The phase is suspended, and no timer starts the next attempt.")
        case .connecting, .connected, .waiting:
            if isInBackground { throw Violation("The application is in the background, but the phase is \(phase).") }
        case .disconnecting where timers[.close] == nil:
            throw Violation("The phase is disconnecting, and no timer limits it.")
        case .disconnected, .failed:
            guard timers.isEmpty, jobs.isEmpty, link == nil else {
                throw Violation(
                    "The connection has ended, but timers \(timers.keys), jobs \(jobs), link \(String(describing: link)) are left."
                )
            }
        default: return
        }
    }
}

/// The legal transitions between the phases of a connection. `docs/behaviour.md` has the same table.
public enum LegalTransitions {
    /// For each phase, the phases that may follow it.
    public static let table: [ConnectionPhase: Set<ConnectionPhase>] = [
        .idle: [.connecting, .suspended],
        .connecting: [.connected, .waiting, .suspended, .disconnected, .failed],
        .connected: [.waiting, .suspended, .disconnecting, .failed],
        .waiting: [.connecting, .suspended, .disconnected, .failed],
        .suspended: [.connecting, .suspended, .disconnected, .failed],
        .disconnecting: [.disconnected],
        .disconnected: [.connecting, .suspended],
        .failed: [.connecting, .suspended],
    ]

    /// Whether phase `to` may follow phase `from`.
    public static func allow(_ from: ConnectionPhase, _ to: ConnectionPhase) -> Bool {
        table[from]?.contains(to) ?? false
    }
}
