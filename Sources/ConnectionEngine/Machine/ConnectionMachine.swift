/// The state machine of a connection, as a value.
///
/// It takes inputs and returns effects. It never waits or locks, reads no clock, and draws random numbers only from its seed. Every input
/// is handled in every state.
///
/// `docs/behaviour.md` has the rules with their numbers; the tests cover every (state, input) pair.
///
/// ```
///                connect                 ready
///   ┌──────┐ ───────────► ┌────────────┐ ───────► ┌───────────┐
///   │ idle │              │ connecting │          │ connected │ ◄─ probe when silent
///   └──────┘   ┌────────► └────────────┘          └───────────┘
///              │ retry /    │ closed, fault,        │ closed, fault,   │ disconnect
///              │ connect    │ open timer            │ no answer        ▼
///          ┌─────────┐ ◄────┤                       │           ┌───────────────┐
///          │ waiting │      │   table says never,   │           │ disconnecting │
///          └─────────┘ ◄────┼── limit reached ──────┤           └───────────────┘
///     no route │ ▲ timer    ▼                       ▼                  │ closed, close timer
///              ▼ │       ┌────────┐                                    ▼
///        ┌───────────┐   │ failed │                            ┌──────────────┐
///        │ suspended │   └────────┘                            │ disconnected │
///        └───────────┘                                         └──────────────┘
///
///   disconnect leads from every phase to disconnected (from connected through disconnecting);
///   connect leads from disconnected, failed, waiting and suspended to connecting;
///   in the background every attempt and every pause is suspended, and connect leads to suspended.
/// ```
public struct ConnectionMachine<Session: ProtocolSession>: Sendable {
    @usableFromInline enum State: Hashable, Sendable {
        /// No connection was requested yet. Can transition to: connecting, suspended.
        case idle
        /// An attempt to connect is in progress. Can transition to: connected, waiting, suspended, disconnected, failed.
        case connecting
        /// The connection is confirmed. Can transition to: disconnecting, waiting, suspended, failed.
        case connected
        /// The retry timer is running. Can transition to: connecting, suspended, disconnected, failed.
        case waiting
        /// There is no network, and a slow retry timer is running; or the application is in the background, and no timer is running.
        /// Can transition to: connecting, disconnected, failed.
        case suspended
        /// The close handshake has been sent; the close timer is running. Can transition to: disconnected.
        case disconnecting
        /// The connection was closed on request. Can transition to: connecting, suspended.
        case disconnected
        /// The connection failed, and no attempt to connect will follow. Can transition to: connecting, suspended.
        case failed(ConnectionFailure)
    }

    @usableFromInline var state: State = .idle
    @usableFromInline var policy: ConnectionPolicy
    /// The session of the current attempt to connect or of the connection; set in the states `connecting` and `connected`, otherwise nil.
    @usableFromInline var session: Session?
    public var memory: Session.Memory { storedMemory }
    @usableFromInline var storedMemory: Session.Memory
    @usableFromInline var work: PendingWork
    @usableFromInline var attempt = AttemptID(0)
    /// Whether the transport of the current session is open.
    @usableFromInline var isOpen = false
    @usableFromInline var lastHeard: Moment?
    /// The time at which the unanswered probe, such as a ping, was sent; nil when no probe is unanswered.
    @usableFromInline var probedAt: Moment?
    /// The longest silence that the service allows on a connection; nil if the service has not named any.
    @usableFromInline var serverSilence: Duration?
    /// The number of failures in a row: failed attempts to connect and lost connections. Set to 0 when a connection has been stable for
    /// `ConnectionTiming.stable`.
    @usableFromInline var failures = 0
    /// Whether the first of the failures in a row ended a working connection.
    var startedConnected = false
    /// Whether a working connection was lost since the user last requested a disconnect. If so, the next confirmed connection is announced
    /// as `reconnected` instead of `connected`.
    @usableFromInline var lostLink = false
    var lastFailure: ConnectionFailure?
    var network: NetworkStatus = .available
    /// Whether the application is in the background and its grace period is over. No attempt to connect begins while this is true.
    @usableFromInline var isInBackground = false
    /// When the grace period of an application in the background ends; nil when no grace period is running.
    @usableFromInline var graceEnd: Moment?
    /// The time limit that was passed to the latest `connect`. The limit starts again when the application returns to the foreground.
    @usableFromInline var deadline: Duration?
    @usableFromInline var lastChange: ConnectionChange

    /// Creates a connection in phase `idle`.
    ///
    /// - Parameter seed: the seed of the random jitter of pauses. Every client needs its own seed, because clients with equal seeds retry
    ///   at the same moments.
    public init(policy: ConnectionPolicy, memory: Session.Memory, seed: UInt64) {
        self.policy = policy
        storedMemory = memory
        work = PendingWork(random: SeededRandom(seed: seed))
        lastChange = ConnectionChange(previous: .idle, phase: .idle, category: .disconnected, at: .zero)
    }

    /// Handles one input and appends the resulting effects to `effects`, in order.
    @inlinable public mutating func handle(_ input: Input<Session>, at now: Moment, into effects: inout [Effect<Session>]) {
        switch input {
        case .received(let attempt, let inbound):
            received(attempt, inbound, at: now, into: &effects)
        case .heard(let attempt):
            heard(attempt, at: now)
        case .connect(let limit):
            connect(within: limit, at: now, into: &effects)
        case .disconnect:
            disconnect(at: now, into: &effects)
        case .cancelRetry:
            cancelRetry(at: now, into: &effects)
        case .perform(let command, let id):
            perform(command, id: id, at: now, into: &effects)
        case .abandon(let id):
            abandon(id, into: &effects)
        case .updatePolicy(let policy):
            update(policy, at: now, into: &effects)
        case .opened(let attempt):
            opened(attempt, at: now, into: &effects)
        case .closed(let attempt, let failure):
            closed(attempt, failure, at: now, into: &effects)
        case .finished(let attempt, let job, let result):
            finished(attempt, job: job, result: result, at: now, into: &effects)
        case .timerFired(let timer):
            timerFired(timer, at: now, into: &effects)
        case .networkChanged(let status):
            networkChanged(status, at: now, into: &effects)
        case .enterBackground:
            enterBackground(at: now, into: &effects)
        case .endBackgroundGrace:
            endGrace(at: now, into: &effects)
        case .leaveBackground:
            leaveBackground(at: now, into: &effects)
        }
    }

    /// Handles all frames or answers of one socket read as if each were a separate input `received`. For speed, the session is moved out of
    /// the machine only once for the whole read, and again only after an action of the session that changes the connection.
    @inlinable public mutating func handle(
        received batch: [Session.Inbound], of attempt: AttemptID, at now: Moment, into effects: inout [Effect<Session>]
    ) {
        var index = batch.startIndex
        while index < batch.endIndex, isAlive(attempt), isOpen {
            lastHeard = now
            withSession(at: now, into: &effects) { session, memory, out in
                while index < batch.endIndex, !out.changesConnection {
                    session.received(batch[index], memory: &memory, out: &out)
                    index += 1
                }
            }
        }
    }

    /// When the grace period of an application in the background ends; nil when no grace period is running (rule BG-9).
    public var backgroundGraceEnd: Moment? { graceEnd }

    /// The connection's present state as one value.
    public var snapshot: ConnectionSnapshot {
        ConnectionSnapshot(
            phase: lastChange.phase, failedAttempts: state == .connected ? 0 : failures, lastFailure: lastFailure,
            lastHeard: lastHeard)
    }
}

/// The state of a connection at one moment, as an immutable value.
public struct ConnectionSnapshot: Hashable, Sendable {
    public var phase: ConnectionPhase
    /// How many attempts to connect have failed in a row; 0 while connected.
    public var failedAttempts: Int
    /// The latest failure of the connection. It stays set after the connection has recovered.
    public var lastFailure: ConnectionFailure?
    /// When the peer last sent any data; nil if it has not sent any.
    public var lastHeard: Moment?

    public init(phase: ConnectionPhase, failedAttempts: Int, lastFailure: ConnectionFailure?, lastHeard: Moment?) {
        self.phase = phase
        self.failedAttempts = failedAttempts
        self.lastFailure = lastFailure
        self.lastHeard = lastHeard
    }
}
