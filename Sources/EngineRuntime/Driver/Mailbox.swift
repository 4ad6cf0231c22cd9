import ConnectionEngine
import DequeModule

/// What waits to go through the machine.
struct Mailbox<Session: ProtocolSession> {
    var machine: ConnectionMachine<Session>
    var mail: Deque<Mail<Session>> = []
    var isDraining = false
}

/// One input, or everything that one read brought.
enum Mail<Session: ProtocolSession> {
    case input(Input<Session>)
    case batch(AttemptID, [Session.Inbound])

    init(_ event: TransportEvent<Session.Inbound>, of attempt: AttemptID) {
        switch event {
        case .opened: self = .input(.opened(attempt))
        case .received(let batch): self = .batch(attempt, batch)
        case .heard: self = .input(.heard(attempt))
        case .closed(let failure): self = .input(.closed(attempt, failure))
        }
    }

    func run(
        through machine: inout ConnectionMachine<Session>, at now: Moment, into effects: inout [Effect<Session>]
    ) {
        switch self {
        case .input(let input):
            machine.handle(input, at: now, into: &effects)
        case .batch(let attempt, let batch):
            for inbound in batch {
                machine.handle(.received(attempt, inbound), at: now, into: &effects)
            }
        }
    }
}

/// What a driver has started and has to stop: timers, jobs, callers that wait.
struct Running<Session: ProtocolSession> {
    struct Job {
        let attempt: AttemptID
        let cancel: JobCancellation
    }

    var attempt: AttemptID?
    var timers: [TimerID.Kind: TimerCancellation] = [:]
    var jobs: [JobID: Job] = [:]
    var waiting: [RequestID: CheckedContinuation<Result<Session.Reply, ConnectionFailure>, Never>] = [:]
    private var lastRequest: UInt64 = 0

    mutating func nextRequest() -> RequestID {
        lastRequest += 1
        return RequestID(lastRequest)
    }

    mutating func takeJobs(of attempt: AttemptID) -> [JobCancellation] {
        let taken = jobs.filter { $0.value.attempt == attempt }
        for id in taken.keys { jobs[id] = nil }
        return taken.values.map(\.cancel)
    }
}
