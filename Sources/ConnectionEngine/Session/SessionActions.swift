/// The actions of a session during one call. They take effect in the order in which they were added.
public struct SessionActions<Session: ProtocolSession>: Sendable {
    /// The time of the call.
    public let now: Moment
    /// The time limits of each step.
    public let timing: ConnectionTiming
    /// Whether frames can be sent. When false, `send` and `run` do nothing.
    public let canSend: Bool

    /// An action of a session that ends the attempt.
    @usableFromInline enum Ending: Sendable {
        indirect case fault(ConnectionFailure)
        case finish
    }

    @usableFromInline let attempt: AttemptID
    /// The category under which `ready` announces the connection; nil when it is confirmed already.
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
    /// Whether the machine has to handle actions before the session gets another input.
    @inlinable var changesConnection: Bool { becameReady || ending != nil || silence != nil }

    /// Writes a frame or makes a request.
    @inlinable public mutating func send(_ outbound: Session.Outbound) {
        guard canSend else { return }
        effects.append(.send(attempt, outbound))
    }

    /// The service confirmed the connection. Announced at once, so that events emitted afterwards come after it.
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

    /// Answers a request. Only the first answer has an effect; later ones, and answers without a waiting caller, are dropped.
    public mutating func answer(_ id: RequestID?, _ result: Result<Session.Reply, ConnectionFailure>) {
        guard let id, work.pending.remove(id) != nil else { return }
        effects.append(.answer(id, result))
    }

    /// Whether a caller still waits for the answer. False once the request was answered or abandoned, or the connection ended.
    public func isAwaited(_ id: RequestID) -> Bool {
        work.pending.contains(id)
    }

    /// Whether this attempt replaces a working link that was lost: the connection will be announced as `reconnected`.
    public var isReconnecting: Bool { readyCategory == .reconnected }

    /// Starts side work; its result is passed to `finished`. Nil when no work can be started any more.
    public mutating func run(_ job: Session.Job) -> JobID? {
        guard canSend else { return nil }
        let id = work.jobs.start()
        effects.append(.run(attempt, id, job))
        return id
    }

    /// Starts or restarts a timer of this attempt. It never outlives the attempt.
    public mutating func startTimer(_ timer: SessionTimer, after duration: Duration) {
        guard canSend else { return }
        let id = work.timers.start(.session(timer))
        effects.append(.startTimer(id, after: max(duration, .zero)))
    }

    /// Stops a timer; nothing happens when it is not running.
    public mutating func cancelTimer(_ timer: SessionTimer) {
        if let id = work.timers.cancel(.session(timer)) { effects.append(.cancelTimer(id)) }
    }

    /// Limits the silence that the service allows. The shorter of this and the policy's limit applies, at least one second.
    public mutating func limitSilence(to duration: Duration) {
        silence = max(duration, .seconds(1))
    }

    /// Ends the attempt with a failure. The engine closes it and follows the retry table.
    public mutating func fault(_ failure: ConnectionFailure) {
        if case .fault = ending { return }
        ending = .fault(failure)
    }

    /// Ends the connection because nothing needs it any more. The engine disconnects as if requested.
    public mutating func finish() {
        guard ending == nil else { return }
        ending = .finish
    }

    /// A duration drawn evenly from `range`, from the machine's seeded generator.
    public mutating func draw(in range: ClosedRange<Duration>) -> Duration {
        work.random.duration(in: range)
    }
}
