import ConnectionEngine
import DequeModule

/// The machine of a driver, and the inputs that the machine has not handled yet.
@usableFromInline struct Mailbox<Session: ProtocolSession>: Sendable {
    @usableFromInline var machine: ConnectionMachine<Session>
    @usableFromInline var queue = CoalescingQueue<Deque<Mail<Session>>>()
    /// Closures to be called as soon as no input waits and no thread is handling an input.
    @usableFromInline var idleWaiters: [@Sendable () -> Void] = []
}

/// An entry of the mailbox: one input, or all frames or answers of one socket read.
@usableFromInline enum Mail<Session: ProtocolSession>: Sendable {
    case input(Input<Session>)
    case batch(AttemptID, [Session.Inbound])

    @inlinable init(_ event: TransportEvent<Session.Inbound>, of attempt: AttemptID) {
        switch event {
        case .opened: self = .input(.opened(attempt))
        case .received(let batch): self = .batch(attempt, batch)
        case .heard: self = .input(.heard(attempt))
        case .closed(let failure): self = .input(.closed(attempt, failure))
        }
    }

    @inlinable func run(
        through machine: inout ConnectionMachine<Session>, at now: Moment, into effects: inout [Effect<Session>]
    ) {
        switch self {
        case .input(let input):
            machine.handle(input, at: now, into: &effects)
        case .batch(let attempt, let batch):
            machine.handle(received: batch, of: attempt, at: now, into: &effects)
        }
    }
}

/// The running timers, the running jobs and the waiting callers of a driver. The driver ends them when it is released.
@usableFromInline struct Running<Session: ProtocolSession>: Sendable {
    struct Job: Sendable {
        let attempt: AttemptID
        let cancel: JobCancellation
    }

    @usableFromInline var attempt: AttemptID?
    /// The last reported status of the network.
    var network = NetworkStatus.available
    var timers: [TimerID.Kind: TimerCancellation] = [:]
    var jobs: [JobID: Job] = [:]
    /// The closures that deliver answers to waiting callers.
    var waiting: [RequestID: @Sendable (Result<Session.Reply, ConnectionFailure>) -> Void] = [:]
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
