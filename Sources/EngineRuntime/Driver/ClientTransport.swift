import ConnectionEngine

/// Carries bytes between a session and its service. Implemented by the WebSocket transport, the long-poll transport and a scripted
/// transport for tests.
///
/// No method blocks or throws; failures are reported as events. After `close(_:reason: .abort)` nothing more is reported for the attempt.
/// Deinitialising a transport closes all its connections.
public protocol ClientTransport<Session>: AnyObject, Sendable {
    associatedtype Session: ProtocolSession

    /// Opens a connection. Reports `opened` or `closed`, then all received elements, and finally `closed` exactly once.
    func open(
        _ endpoint: Session.Endpoint, attempt: AttemptID, report: @escaping @Sendable (TransportEvent<Session.Inbound>) -> Void)

    /// Writes one frame or sends one request. Ignored when the connection of `attempt` is not open.
    func send(_ outbound: Session.Outbound, attempt: AttemptID)

    /// Ends an attempt to connect, or the connection that the attempt has led to. With a close handshake, `closed` is reported once the
    /// peer has answered; with an abort, nothing more is reported.
    func close(_ attempt: AttemptID, reason: CloseReason)
}

/// The reports of a transport about one attempt to connect and its connection, in order.
public enum TransportEvent<Inbound: Sendable>: Sendable {
    case opened
    /// All frames or answers of one socket read. They are reported together, so that the driver takes its lock once per read instead of
    /// once per message.
    case received([Inbound])
    /// Bytes have arrived that contain no message for the session. The bytes prove that the connection is alive.
    case heard
    indirect case closed(ConnectionFailure)
}

/// Runs the jobs of a session, such as authorisation requests and user code that supplies tokens.
public protocol JobRunner<Session>: AnyObject, Sendable {
    associatedtype Session: ProtocolSession

    /// Starts a job and returns at once. `completion` may be called from any thread; only its first call has an effect.
    ///
    /// - Returns: a closure that stops the job. The job's completion is ignored from then on.
    func start(
        _ job: Session.Job, completion: @escaping @Sendable (Result<Session.JobResult, ConnectionFailure>) -> Void
    ) -> JobCancellation
}

/// Stops a job.
public typealias JobCancellation = @Sendable () -> Void

/// Runs timers on a monotonic clock. Tests use a clock that they advance by hand.
public protocol TimerScheduler: Sendable {
    /// The present time of the monotonic clock.
    var now: Moment { get }

    /// Calls `fire` once, `duration` from now, on any thread.
    ///
    /// - Returns: a closure that stops the timer. A caller that ignores late calls of `fire` need not stop the timer.
    func schedule(after duration: Duration, _ fire: @escaping @Sendable () -> Void) -> TimerCancellation
}

/// Stops a timer.
public typealias TimerCancellation = @Sendable () -> Void
