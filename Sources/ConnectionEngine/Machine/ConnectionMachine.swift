/// The state machine of a connection, as a value.
///
/// Inputs go in, effects come out; nothing waits, locks, asks a clock or draws unseeded numbers. Every input is handled in every state.
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
///   in the background every attempt and every wait is suspended, and so is what connect asks for.
/// ```
public struct ConnectionMachine<Session: ProtocolSession>: Sendable {
    @usableFromInline enum State: Hashable, Sendable {
        /// No connection was requested yet. Can transition to: connecting, suspended.
        case idle
        /// An attempt is in progress. Can transition to: connected, waiting, suspended, disconnected, failed.
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
        /// The connection failed, and no attempt will follow. Can transition to: connecting, suspended.
        case failed(ConnectionFailure)
    }

    @usableFromInline var state: State = .idle
    @usableFromInline var policy: ConnectionPolicy
    /// The session of the current attempt: set in states connecting and connected, nil in all others.
    @usableFromInline var session: Session?
    public var memory: Session.Memory { storedMemory }
    @usableFromInline var storedMemory: Session.Memory
    @usableFromInline var work: PendingWork
    @usableFromInline var attempt = AttemptID(0)
    /// Whether the transport of the present attempt is open.
    @usableFromInline var isOpen = false
    @usableFromInline var lastHeard: Moment?
    /// When the unanswered probe was sent.
    @usableFromInline var probedAt: Moment?
    /// The longest silence that the service allows, if it has named one.
    @usableFromInline var serverSilence: Duration?
    /// Failures in a row; reset once a link was stable.
    @usableFromInline var failures = 0
    /// Whether the first of these failures ended a working link.
    var startedConnected = false
    /// Whether a working link was lost since the user last asked to disconnect.
    @usableFromInline var lostLink = false
    var lastFailure: ConnectionFailure?
    var network: NetworkStatus = .available
    /// Whether the application is in the background. No attempt begins meanwhile.
    @usableFromInline var isInBackground = false
    /// The end of the grace period of an application in the background; nil when none is running.
    @usableFromInline var graceEnd: Moment?
    /// The time limit of the latest `connect`. It restarts when the application returns.
    @usableFromInline var deadline: Duration?
    @usableFromInline var lastChange: ConnectionChange

    /// A connection in phase `idle`.
    ///
    /// - Parameter seed: for jitter. Two clients must not share one, or they retry in step.
    public init(policy: ConnectionPolicy, memory: Session.Memory, seed: UInt64) {
        self.policy = policy
        storedMemory = memory
        work = PendingWork(random: SeededRandom(seed: seed))
        lastChange = ConnectionChange(previous: .idle, phase: .idle, category: .disconnected, at: .zero)
    }

    /// Takes one input and appends the resulting effects, in order.
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

    /// Handles all elements of one read: the same as `received` for each element. The session is removed and put back once, and again
    /// only after an action that changes the connection.
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

    /// The end of the grace period of an application in the background; nil when none is running (rule BG-9).
    public var backgroundGraceEnd: Moment? { graceEnd }

    /// The connection's present state as one value.
    public var snapshot: ConnectionSnapshot {
        ConnectionSnapshot(
            phase: lastChange.phase, failedAttempts: state == .connected ? 0 : failures, lastFailure: lastFailure,
            lastHeard: lastHeard)
    }
}

/// The connection's state as one immutable snapshot.
public struct ConnectionSnapshot: Hashable, Sendable {
    public var phase: ConnectionPhase
    /// Failed attempts in a row; 0 while connected.
    public var failedAttempts: Int
    /// The latest failure of the connection, also after it has recovered.
    public var lastFailure: ConnectionFailure?
    /// When the peer last sent any data; nil before the first.
    public var lastHeard: Moment?

    public init(phase: ConnectionPhase, failedAttempts: Int, lastFailure: ConnectionFailure?, lastHeard: Moment?) {
        self.phase = phase
        self.failedAttempts = failedAttempts
        self.lastFailure = lastFailure
        self.lastHeard = lastHeard
    }
}
