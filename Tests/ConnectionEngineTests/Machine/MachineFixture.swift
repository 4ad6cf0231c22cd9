import ConnectionEngine
import EngineTesting

/// A machine in a chosen state, with the effects of each input as short text.
struct MachineFixture {
    typealias Machine = ConnectionMachine<LineSession>

    var machine: Machine
    var now = Moment(nanoseconds: 1_000_000_000)
    /// The timers that run, by the text of their kind.
    var timers: [String: TimerID] = [:]
    var attempt = AttemptID(0)
    var job: JobID?
    /// Everything so far, rendered.
    var log: [String] = []

    init(policy: ConnectionPolicy = .fast, seed: UInt64 = 1) {
        machine = Machine(policy: policy, memory: LineSession.Memory(), seed: seed)
    }

    var phase: ConnectionPhase { machine.snapshot.phase }

    @discardableResult
    mutating func feed(_ input: Input<LineSession>, after pause: Duration = .zero) -> [String] {
        now = now + pause
        var effects: [Effect<LineSession>] = []
        machine.handle(input, at: now, into: &effects)
        let rendered = effects.map { render($0) }
        log += rendered
        return rendered
    }

    /// Fires the running timer of that kind, or a stale one when none is running.
    @discardableResult
    mutating func fire(_ kind: String, _ stale: TimerID.Kind, after pause: Duration = .zero) -> [String] {
        feed(.timerFired(timers[kind] ?? TimerID(kind: stale, generation: 0)), after: pause)
    }

    mutating func render(_ effect: Effect<LineSession>) -> String {
        switch effect {
        case .open(let attempt, _):
            self.attempt = attempt
            return "open"
        case .send(_, let outbound): return "send \(outbound)"
        case .close(_, let reason): return "\(reason)"
        case .run(_, let id, _):
            job = id
            return "run"
        case .cancelJobs: return "cancel jobs"
        case .startTimer(let id, _):
            timers[Self.name(id.kind)] = id
            return "+\(Self.name(id.kind))"
        case .cancelTimer(let id):
            timers[Self.name(id.kind)] = nil
            return "-\(Self.name(id.kind))"
        case .announce(let change): return "\(change.phase)(\(change.category))"
        case .deliver(let event):
            if case .subscribed(let channel) = event { return "event subscribed \(channel)" }
            return "event \(event)".prefix(24).description
        case .answer(_, .success): return "answer ok"
        case .answer(_, .failure(let failure)): return "answer \(failure.category)"
        }
    }

    static func name(_ kind: TimerID.Kind) -> String {
        if case .session = kind { "session" } else { "\(kind)" }
    }
}

/// How to get a machine into each of its states.
enum MachineState: String, CaseIterable {
    case idle, dialling, opened, connected, probing, waiting, suspended, background, disconnecting, disconnected, failed

    func make() -> MachineFixture {
        var fixture = MachineFixture()
        switch self {
        case .idle:
            break
        case .dialling:
            fixture.feed(.connect(within: nil))
        case .opened:
            fixture.feed(.connect(within: nil))
            fixture.feed(.opened(fixture.attempt))
        case .connected:
            fixture.feed(.connect(within: nil))
            fixture.feed(.opened(fixture.attempt))
            fixture.feed(.received(fixture.attempt, .greeting))
            fixture.feed(.perform(.authorize("x"), nil))
        case .probing:
            fixture = Self.connected.make()
            fixture.fire("silence", .silence, after: .seconds(2))
        case .waiting:
            fixture = Self.connected.make()
            fixture.feed(.closed(fixture.attempt, ConnectionFailure(.unexpectedDisconnect, "Reset.")))
        case .suspended:
            fixture = Self.waiting.make()
            fixture.feed(.networkChanged(.unavailable))
        case .background:
            fixture = Self.connected.make()
            fixture.feed(.enterBackground)
        case .disconnecting:
            fixture = Self.connected.make()
            fixture.feed(.disconnect)
        case .disconnected:
            fixture = Self.disconnecting.make()
            fixture.feed(.closed(fixture.attempt, ConnectionFailure(.disconnected, "Goodbye.")))
        case .failed:
            fixture = Self.connected.make()
            fixture.feed(.closed(fixture.attempt, ConnectionFailure(.refused, "Unknown app.", closeCode: 4001)))
        }
        fixture.log = []
        return fixture
    }
}

/// Every kind of input, as something to do to a machine.
enum MachineInput: String, CaseIterable {
    case connect, connectWithin, disconnect, cancelRetry, perform, performOnce, abandon, updatePolicy
    case opened, openedStale, received, receivedStale, heard, closed, closedStale, goAway, finished, finishedStale
    case openTimer, retryTimer, silenceTimer, stableTimer, closeTimer, deadlineTimer, sessionTimer
    case noRoute, route, background, foreground

    func apply(to fixture: inout MachineFixture) -> [String] {
        let old = AttemptID(99)
        let attempt = fixture.attempt
        let failure = ConnectionFailure(.unexpectedDisconnect, "Reset.")
        switch self {
        case .connect: return fixture.feed(.connect(within: nil))
        case .connectWithin: return fixture.feed(.connect(within: .seconds(5)))
        case .disconnect: return fixture.feed(.disconnect)
        case .cancelRetry: return fixture.feed(.cancelRetry)
        case .perform: return fixture.feed(.perform(.subscribe("c"), RequestID(1)))
        case .performOnce: return fixture.feed(.perform(.publish(1), RequestID(2)))
        case .abandon: return fixture.feed(.abandon(RequestID(3)))
        case .updatePolicy: return fixture.feed(.updatePolicy(.standard))
        case .opened: return fixture.feed(.opened(attempt))
        case .openedStale: return fixture.feed(.opened(old))
        case .received: return fixture.feed(.received(attempt, .greeting))
        case .receivedStale: return fixture.feed(.received(old, .greeting))
        case .heard: return fixture.feed(.heard(attempt))
        case .closed: return fixture.feed(.closed(attempt, failure))
        case .closedStale: return fixture.feed(.closed(old, failure))
        case .goAway: return fixture.feed(.received(attempt, .goAway(ConnectionFailure(.kicked, "Elsewhere."))))
        case .finished: return fixture.feed(.finished(attempt, fixture.job ?? JobID(1), .success(true)))
        case .finishedStale: return fixture.feed(.finished(old, JobID(1), .success(true)))
        case .openTimer: return fixture.fire("open", .open)
        case .retryTimer: return fixture.fire("retry", .retry)
        case .silenceTimer: return fixture.fire("silence", .silence)
        case .stableTimer: return fixture.fire("stable", .stable)
        case .closeTimer: return fixture.fire("close", .close)
        case .deadlineTimer: return fixture.fire("deadline", .deadline)
        case .sessionTimer: return fixture.fire("session", .session(LineSession.timer))
        case .noRoute: return fixture.feed(.networkChanged(.unavailable))
        case .route: return fixture.feed(.networkChanged(.available))
        case .background: return fixture.feed(.enterBackground)
        case .foreground: return fixture.feed(.leaveBackground)
        }
    }
}
