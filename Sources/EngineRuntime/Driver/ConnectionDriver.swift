import ConnectionEngine
import DequeModule
import NIOConcurrencyHelpers

/// The notices for users of a connection, all in one order: changes of phase and events of the service.
public enum Notice<Session: ProtocolSession>: Sendable {
    indirect case change(ConnectionChange)
    case event(Session.Event)
    /// An observer was too slow, and this number of events was dropped for it at this point of the order. Changes of phase are never
    /// dropped.
    case dropped(Int)
}

/// Drives a ``ConnectionMachine``: performs its effects, and owns its lock, transport, timers and jobs.
///
/// `submit` appends an input to a mailbox. If no other thread is processing the mailbox, the calling thread processes it: the machine
/// handles inputs under a single lock, then the effects are performed in order outside of the lock. Therefore all effects have one order,
/// and callbacks may call the driver. After `connect(); disconnect()` the machine handles the connect first. Releasing the last reference
/// closes the transport and stops every timer and job.
public final class ConnectionDriver<Session: ProtocolSession>: Sendable {
    /// Changes of the connection and events of the service, in one order.
    public let notices: Broadcaster<Notice<Session>>
    /// The network status after each change: whether this machine has a route to the service. The changes have no order relative to
    /// ``notices``.
    public let networkChanges = Broadcaster<NetworkStatus>(backlog: 64, isDroppable: { _ in true }, dropped: { _ in .available })

    @usableFromInline let transport: any ClientTransport<Session>
    @usableFromInline let jobs: any JobRunner<Session>
    @usableFromInline let timers: any TimerScheduler
    @usableFromInline package let observer: (any EngineObserver)?
    @usableFromInline let mailbox: NIOLockedValueBox<Mailbox<Session>>
    @usableFromInline let running = NIOLockedValueBox(Running<Session>())

    /// Creates a driver in phase `idle`.
    ///
    /// - Parameters:
    ///   - seed: the seed of random pauses; nil for a seed from the system's generator.
    ///   - backlog: the most notices that may wait for one observer before events are dropped for it and counted.
    ///   - isDroppable: whether an event may be dropped for a slow observer.
    public init(
        transport: any ClientTransport<Session>, jobs: any JobRunner<Session>, timers: any TimerScheduler,
        policy: ConnectionPolicy, memory: Session.Memory, seed: UInt64? = nil, backlog: Int = 16_384,
        isDroppable: @escaping @Sendable (Session.Event) -> Bool = { _ in false }, observer: (any EngineObserver)? = nil
    ) {
        self.transport = transport
        self.jobs = jobs
        self.timers = timers
        self.observer = observer
        let machine = ConnectionMachine<Session>(policy: policy, memory: memory, seed: seed ?? .random(in: .min ... .max))
        mailbox = NIOLockedValueBox(Mailbox(machine: machine))
        notices = Broadcaster(
            backlog: backlog,
            isDroppable: { notice in
                if case .event(let event) = notice { isDroppable(event) } else { false }
            },
            dropped: { .dropped($0) })
    }

    deinit {
        let left = running.withLockedValue { running in
            defer { running = Running() }
            return running
        }
        for timer in left.timers.values { timer() }
        for job in left.jobs.values { job.cancel() }
        if let attempt = left.attempt { transport.close(attempt, reason: .abort) }
        for answer in left.waiting.values { answer(.failure(.disconnectedOnRequest)) }
        notices.finish()
        networkChanges.finish()
    }

    /// Passes one input to the machine. May be called from any thread, also in a callback.
    @inlinable public func submit(_ input: Input<Session>) {
        submit(mail: .input(input))
    }

    /// Passes a change of the network to the machine. Observers of ``networkChanges`` are notified only when the status differs from the
    /// previous status, which is `available` before the first report; a new route with the same status is not a change for them. Must not
    /// be called concurrently.
    public func networkChanged(to status: NetworkStatus) {
        submit(.networkChanged(status))
        noteNetwork(status)
    }

    /// Notifies observers of ``networkChanges`` of a network status. Does not pass the status to the machine; the caller has to pass it.
    /// Must not be called concurrently.
    public func noteNetwork(_ status: NetworkStatus) {
        let isChange = running.withLockedValue { running in
            defer { running.network = status }
            return running.network != status
        }
        if isChange { networkChanges.send([status]) }
    }

    /// The connection's present state as one value.
    public var snapshot: ConnectionSnapshot {
        mailbox.withLockedValue { $0.machine.snapshot }
    }

    /// Reads the session's state that survives reconnects, such as the wanted channels and the position in the message stream.
    public func withMemory<Value>(_ body: (Session.Memory) throws -> Value) rethrows -> Value {
        try mailbox.withLockedValue { try body($0.machine.memory) }
    }

    /// When the grace period of an application in the background ends; nil when no grace period is running.
    var graceEnd: Moment? { mailbox.withLockedValue { $0.machine.backgroundGraceEnd } }

    /// The present time of the monotonic clock.
    public var now: Moment { timers.now }

    /// Submits a command to the session and waits for the answer.
    ///
    /// - Parameters:
    ///   - note: called with the answer before the caller gets the answer, also for a cancelled call. Runs on the thread that drives the
    ///     engine, in one order with the callbacks for ``notices`` on ``CallbackQueue/inline``. Must not block.
    ///   - submitted: called once the command was submitted; inputs that are submitted later are handled after the command.
    /// - Throws: the failure that the session answered; `disconnected` when the connection was ended before the answer; `cancelled` when
    ///   the calling task was cancelled.
    public func perform(
        _ command: Session.Command, note: (@Sendable (Result<Session.Reply, ConnectionFailure>) -> Void)? = nil,
        submitted: (@Sendable () -> Void)? = nil
    ) async throws(ConnectionFailure) -> Session.Reply {
        let id = running.withLockedValue { $0.nextRequest() }
        let wait = TaskWait()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                running.withLockedValue { running in
                    running.waiting[id] = { result in
                        note?(result)
                        wait?.answered()
                        continuation.resume(returning: result)
                    }
                }
                submit(.perform(command, id))
                submitted?()
                wait?.asked()
                // If the task was cancelled before the request was registered, `onCancel` had no effect, so the request is abandoned here.
                if Task.isCancelled { submit(.abandon(id)) }
            }
        } onCancel: {
            submit(.abandon(id))
        }
        return try result.get()
    }

    /// Submits a command to the session. Commands of consecutive calls reach the session in order. Separate tasks that call the async
    /// function do not guarantee this order.
    ///
    /// - Parameter completion: called once, on the thread that drives the engine, in one order with the callbacks for ``notices`` on
    ///   ``CallbackQueue/inline``. Must not block.
    public func perform(
        _ command: Session.Command, completion: @escaping @Sendable (Result<Session.Reply, ConnectionFailure>) -> Void
    ) {
        let id = running.withLockedValue { running in
            let id = running.nextRequest()
            running.waiting[id] = completion
            return id
        }
        submit(.perform(command, id))
    }
}

extension ConnectionDriver {
    @inlinable func submit(mail: Mail<Session>) {
        let isMine = mailbox.withLockedValue { $0.queue.append(mail) }
        if isMine { drain() }
    }

    @inlinable func drain() {
        var effects: [Effect<Session>] = []
        var waiters: [@Sendable () -> Void] = []
        while true {
            let now = timers.now
            let isEmpty = mailbox.withLockedValue { mailbox in
                guard let mail = mailbox.queue.takeFirst() else {
                    if !mailbox.idleWaiters.isEmpty { swap(&waiters, &mailbox.idleWaiters) }
                    return true
                }
                mail.run(through: &mailbox.machine, at: now, into: &effects)
                return false
            }
            if isEmpty { break }
            perform(&effects)
        }
        for waiter in waiters { waiter() }
    }

    /// Calls `body` as soon as no thread is processing an input: at once if no thread is, otherwise on the thread that processes the last
    /// input.
    package func whenIdle(_ body: @escaping @Sendable () -> Void) {
        let isIdle = mailbox.withLockedValue { mailbox in
            if mailbox.queue.isAtWork { mailbox.idleWaiters.append(body) }
            return !mailbox.queue.isAtWork
        }
        if isIdle { body() }
    }

    /// Performs effects in order and leaves the array empty. Consecutive notices are sent to observers in one batch.
    @inlinable func perform(_ effects: inout [Effect<Session>]) {
        var outgoing: [Notice<Session>] = []
        for effect in effects {
            switch effect {
            case .deliver(let event):
                outgoing.append(.event(event))
            case .announce(let change):
                observer?.changed(change)
                outgoing.append(.change(change))
            default:
                if !outgoing.isEmpty { flush(&outgoing) }
                perform(effect)
            }
        }
        effects.removeAll(keepingCapacity: true)
        if !outgoing.isEmpty { flush(&outgoing) }
    }

    @inlinable func flush(_ outgoing: inout [Notice<Session>]) {
        notices.send(outgoing)
        outgoing.removeAll(keepingCapacity: true)
    }

    @inlinable func perform(_ effect: Effect<Session>) {
        switch effect {
        case .open(let attempt, let endpoint):
            note(attempt)
            transport.open(endpoint, attempt: attempt) { [weak self] event in
                self?.submit(mail: Mail(event, of: attempt))
            }
        case .send(let attempt, let outbound):
            transport.send(outbound, attempt: attempt)
        case .close(let attempt, let reason):
            transport.close(attempt, reason: reason)
        case .run(let attempt, let id, let job):
            run(job, id: id, attempt: attempt)
        case .cancelJobs(let attempt):
            cancelJobs(of: attempt)
        case .startTimer(let id, let duration):
            start(id, after: duration)
        case .cancelTimer(let id):
            cancel(id)
        case .answer(let id, let result):
            answer(id, result)
        case .announce, .deliver:
            return
        }
    }

    @usableFromInline func note(_ attempt: AttemptID) {
        running.withLockedValue { $0.attempt = attempt }
    }

    @usableFromInline func cancelJobs(of attempt: AttemptID) {
        let cancelled = running.withLockedValue { $0.takeJobs(of: attempt) }
        for cancel in cancelled { cancel() }
    }

    @usableFromInline func cancel(_ timer: TimerID) {
        let cancel = running.withLockedValue { $0.timers.removeValue(forKey: timer.kind) }
        cancel?()
    }

    @usableFromInline func answer(_ id: RequestID, _ result: Result<Session.Reply, ConnectionFailure>) {
        let waiting = running.withLockedValue { $0.waiting.removeValue(forKey: id) }
        waiting?(result)
    }

    @usableFromInline func run(_ job: Session.Job, id: JobID, attempt: AttemptID) {
        // The job is registered before `start` is called, because the job may end before `start` returns.
        running.withLockedValue { $0.jobs[id] = Running.Job(attempt: attempt, cancel: {}) }
        let cancel = jobs.start(job) { [weak self] result in
            guard let self else { return }
            _ = self.running.withLockedValue { $0.jobs.removeValue(forKey: id) }
            self.submit(.finished(attempt, id, result))
        }
        running.withLockedValue { running in
            if running.jobs[id] != nil { running.jobs[id] = Running.Job(attempt: attempt, cancel: cancel) }
        }
    }

    @usableFromInline func start(_ id: TimerID, after duration: Duration) {
        let cancel = timers.schedule(after: duration) { [weak self] in
            self?.submit(.timerFired(id))
        }
        let superseded = running.withLockedValue { $0.timers.updateValue(cancel, forKey: id.kind) }
        superseded?()
    }
}
