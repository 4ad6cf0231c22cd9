import ConnectionEngine

/// Runs a machine against a model server with faults, on a simulated clock and from a seed, and checks the rules after every step.
///
/// The same seed gives the same run, so a failure is reproduced by its seed. The rules are SM-1 to SM-9 of `docs/behaviour.md`: at most one
/// live attempt, only legal transitions, a running timer in every waiting phase, every request answered exactly once, no timers or jobs
/// left after a disconnect, no effect of late reports, and no message lost, duplicated or out of order without a gap event.
public struct Simulator<Service: SimulatedService> {
    /// The session type of the model server.
    public typealias Session = Service.Session

    var machine: ConnectionMachine<Session>
    /// The model server in its present state.
    public internal(set) var service: Service
    var random: SeededRandom
    var now = Moment(nanoseconds: 1_000_000_000)
    var network = SimulatedNetwork.working
    var link: SimulatedLink?
    var due: [(at: Moment, order: UInt64, what: Occurrence<Session>)] = []
    var order: UInt64 = 0
    var timers: [TimerID.Kind: (id: TimerID, deadline: Moment)] = [:]
    var jobs: Set<JobID> = []
    var unanswered: Set<RequestID> = []
    var lastRequest: UInt64 = 0
    var lastAttempt = AttemptID(0)
    var staleTimers: [TimerID] = []
    var phase = ConnectionPhase.idle
    var isInBackground = false
    var probesSilence: Bool
    /// The events of the run so far; the last thirty are part of a failure's report.
    var trail: [String] = []
    /// How often each phase was announced. Tests use it to check that a run reached all phases.
    public private(set) var phases: [ConnectionPhase: Int] = [:]
    /// How many events users received.
    public private(set) var events = 0
    /// How many requests were answered.
    public private(set) var answers = 0

    /// Creates a run that depends on the seed only.
    public init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        service = Service()
        probesSilence = Service.policy.probesSilence
        machine = ConnectionMachine(policy: Service.policy, memory: Service.memory, seed: random.next())
    }

    /// Runs a number of steps, then disconnects and checks that no timer, job or request is left.
    ///
    /// - Throws: the first broken rule, with the last thirty events.
    public mutating func run(steps: Int) throws(Violation) {
        do {
            try feed(.connect(within: nil), "connect")
            for _ in 0..<steps { try step() }
            try finish()
        } catch {
            throw Violation("\(error)\nbefore that:\n  " + trail.suffix(30).joined(separator: "\n  "))
        }
    }

    private mutating func step() throws(Violation) {
        let dice = Int.random(in: 0..<1000, using: &random)
        switch dice {
        case 0..<150: try react(with: { $0.somethingHappens(&$1) })
        case 150..<220: try perform()
        case 220..<228: try feed(.disconnect, "disconnect")
        case 228..<260: try feed(.connect(within: drawLimit()), "connect")
        case 260..<263: try feed(.cancelRetry, "cancel retry")
        case 263..<270: try abandon()
        case 270..<276: try feed(.networkChanged(.unavailable), "no route")
        case 276..<284: try feed(.networkChanged(.available), "route")
        case 284..<300: try breakSomething()
        case 300..<310: try staleNews()
        case 310..<312: try feed(.updatePolicy(Service.policy), "policy")
        case 312..<316: try enterBackground()
        case 316..<328: try leaveBackground()
        default: try advance()
        }
    }

    private mutating func enterBackground() throws(Violation) {
        isInBackground = true
        try feed(.enterBackground, "background")
    }

    private mutating func leaveBackground() throws(Violation) {
        isInBackground = false
        try feed(.leaveBackground, "foreground")
    }

    private mutating func drawLimit() -> Duration? {
        Bool.random(using: &random) ? nil : random.duration(in: .milliseconds(10)...(.seconds(20)))
    }

    private mutating func perform() throws(Violation) {
        let command = service.command(&random)
        guard Int.random(in: 0..<4, using: &random) > 0 else {
            try feed(.perform(command, nil), "\(command)")
            return
        }
        lastRequest += 1
        let id = RequestID(lastRequest)
        unanswered.insert(id)
        service.asked(command, as: id)
        try feed(.perform(command, id), "\(command) \(id)")
    }

    private mutating func abandon() throws(Violation) {
        guard let id = unanswered.sorted().randomElement(using: &random) else { return }
        try feed(.abandon(id), "abandon \(id)")
    }

    /// Reports to the machine a stopped timer as fired and events of an earlier attempt to connect, and checks that these reports have no
    /// effect (rule SM-6).
    private mutating func staleNews() throws(Violation) {
        var effects: [Effect<Session>] = []
        if let timer = staleTimers.randomElement(using: &random), timers[timer.kind]?.id != timer {
            machine.handle(.timerFired(timer), at: now, into: &effects)
        }
        if lastAttempt.value > 1 {
            let old = AttemptID(lastAttempt.value - 1)
            machine.handle(.opened(old), at: now, into: &effects)
            machine.handle(.heard(old), at: now, into: &effects)
            machine.handle(.closed(old, ConnectionFailure(.unknown, "stale")), at: now, into: &effects)
        }
        guard effects.isEmpty else { throw Violation("Stale news had effects: \(effects)") }
    }

    private mutating func finish() throws(Violation) {
        network = .working
        try leaveBackground()
        try feed(.disconnect, "disconnect at the end")
        // Requests that were made during the close handshake would wait for the next connection. The second disconnect answers them with a
        // failure instead, so that no request is left.
        try feed(.disconnect, "disconnect during the goodbye")
        for _ in 0..<10_000 where link != nil || !timers.isEmpty { try advance() }
        guard phase == .disconnected || phase == .failed else { throw Violation("Ended in phase \(phase)") }
        guard timers.isEmpty, jobs.isEmpty, link == nil, unanswered.isEmpty else {
            throw Violation(
                "Left over after disconnect: timers \(timers.keys), jobs \(jobs), link \(String(describing: link)), "
                    + "unanswered \(unanswered)")
        }
    }

    mutating func count(_ change: ConnectionChange) { phases[change.phase, default: 0] += 1 }
    mutating func countEvent() { events += 1 }
    mutating func countAnswer() { answers += 1 }
}
