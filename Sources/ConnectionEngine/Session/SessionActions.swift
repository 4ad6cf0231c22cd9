/// The actions that a session requests during one call. They take effect in the order in which they were added.
public struct SessionActions<Session: ProtocolSession>: Sendable {
    /// The time at which the session was called.
    public let now: Moment
    /// The connection's time limits, such as the limit for answers to requests.
    public let timing: ConnectionTiming
    /// Whether frames can be sent. When false, `send` and `run` do nothing.
    public let canSend: Bool

    /// An action of a session that ends its connection or its attempt to connect.
    @usableFromInline enum Ending: Sendable {
        indirect case fault(ConnectionFailure)
        case finish
    }

    @usableFromInline let attempt: AttemptID
    /// The category under which `ready` announces the connection; nil when `ready` has no effect because no attempt to connect is in
    /// progress.
    @usableFromInline let readyCategory: StatusCategory?
    @usableFromInline var effects: [Effect<Session>]
    @usableFromInline var work: PendingWork
    @usableFromInline var becameReady: Bool
    @usableFromInline var ending: Ending?
    @usableFromInline var silence: Duration?

    @inlinable init(
        now: Moment, timing: ConnectionTiming, canSend: Bool, attempt: AttemptID, readyCategory: StatusCategory?,
        effects: [Effect<Session>], work: PendingWork
    ) {
        self.now = now
        self.timing = timing
        self.canSend = canSend
        self.attempt = attempt
        self.readyCategory = readyCategory
        self.effects = effects
        self.work = work
        becameReady = false
        ending = nil
        silence = nil
    }
}

extension SessionActions {
    /// Whether the session has requested an action that the machine must apply before it passes the next input to the session.
    @inlinable var changesConnection: Bool { becameReady || ending != nil || silence != nil }

    /// Writes a frame or makes a request.
    @inlinable public mutating func send(_ outbound: Session.Outbound) {
        guard canSend else { return }
        effects.append(.send(attempt, outbound))
    }

    /// Announces at once that the service has confirmed the connection, so that later events of this call follow the announcement.
    public mutating func ready() {
        guard !becameReady, ending == nil, let readyCategory else { return }
        let change = ConnectionChange(previous: .connecting, phase: .connected, category: readyCategory, at: now)
        effects.append(.announce(change))
        becameReady = true
    }

    /// Delivers an event of the service to users.
    @inlinable public mutating func emit(_ event: Session.Event) {
        effects.append(.deliver(event))
    }

    /// Answers a request. Only the first answer has an effect; later answers, and answers that no caller waits for, are dropped.
    public mutating func answer(_ id: RequestID?, _ result: Result<Session.Reply, ConnectionFailure>) {
        guard let id, work.pending.remove(id) != nil else { return }
        effects.append(.answer(id, result))
    }

    /// Whether a caller still waits for the answer to the request `id`. False once the request was answered or abandoned, or the connection
    /// ended.
    public func isAwaited(_ id: RequestID) -> Bool {
        work.pending.contains(id)
    }

    /// Whether this session's attempt to connect follows the loss of a working connection. If so, its success is announced as
    /// `reconnected`.
    public var isReconnecting: Bool { readyCategory == .reconnected }

    /// Starts a job; its result is passed to the session's `finished`. Returns nil, without starting the job, when ``canSend`` is false.
    public mutating func run(_ job: Session.Job) -> JobID? {
        guard canSend else { return nil }
        let id = work.jobs.start()
        effects.append(.run(attempt, id, job))
        return id
    }

    /// Starts or restarts a timer of this session. The machine stops it when the session's connection or attempt to connect ends.
    public mutating func startTimer(_ timer: SessionTimer, after duration: Duration) {
        guard canSend else { return }
        let id = work.timers.start(.session(timer))
        effects.append(.startTimer(id, after: max(duration, .zero)))
    }

    /// Stops a timer. Has no effect when the timer is not running.
    public mutating func cancelTimer(_ timer: SessionTimer) {
        if let id = work.timers.cancel(.session(timer)) { effects.append(.cancelTimer(id)) }
    }

    /// Sets how long the service allows the connection to be silent, at least one second. If the policy's limit is shorter, the policy's
    /// limit applies.
    public mutating func limitSilence(to duration: Duration) {
        silence = max(duration, .seconds(1))
    }

    /// Ends the connection, or the attempt to connect, with a failure. The machine closes the transport and follows the retry table.
    public mutating func fault(_ failure: ConnectionFailure) {
        if case .fault = ending { return }
        ending = .fault(failure)
    }

    /// Ends the connection because the session does not need it any more. The machine disconnects as if a user had requested it.
    public mutating func finish() {
        guard ending == nil else { return }
        ending = .finish
    }

    /// A duration drawn evenly from `range`, from the machine's seeded generator.
    public mutating func draw(in range: ClosedRange<Duration>) -> Duration {
        work.random.duration(in: range)
    }
}
