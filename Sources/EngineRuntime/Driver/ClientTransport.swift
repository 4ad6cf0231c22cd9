import ConnectionEngine

/// Carries bytes for a session. Implemented by the WebSocket transport, the long-poll transport and, in tests, a scripted one.
///
/// No method blocks or throws; failures are events. After `close(_:reason: .abort)` nothing more is reported for the attempt.
/// Deinitialising a transport closes all its connections.
public protocol ClientTransport<Session>: AnyObject, Sendable {
    associatedtype Session: ProtocolSession

    /// Opens a connection. Reports `opened` or `closed`, then all received elements, and finally `closed` exactly once.
    func open(
        _ endpoint: Session.Endpoint, attempt: AttemptID, report: @escaping @Sendable (TransportEvent<Session.Inbound>) -> Void)

    /// Writes one frame or makes one request. Ignored when the attempt is not open.
    func send(_ outbound: Session.Outbound, attempt: AttemptID)

    /// Ends an attempt. After a close handshake `closed` follows once the peer has answered; after an abort nothing follows.
    func close(_ attempt: AttemptID, reason: CloseReason)
}

/// The reports of a transport about one attempt, in order.
public enum TransportEvent<Inbound: Sendable>: Sendable {
    case opened
    /// All elements of one read together, so that the driver takes its lock once per read and not once per message.
    case received([Inbound])
    /// Bytes arrived, but no message for the session. Counts as a sign of life.
    case heard
    indirect case closed(ConnectionFailure)
}

/// Does the side work of a session: authorisation requests, user code that supplies tokens.
public protocol JobRunner<Session>: AnyObject, Sendable {
    associatedtype Session: ProtocolSession

    /// Starts a job and returns at once. `completion` may be called from any thread, once; later calls are ignored.
    ///
    /// - Returns: a closure that stops the job. The job's completion is ignored from then on.
    func start(
        _ job: Session.Job, completion: @escaping @Sendable (Result<Session.JobResult, ConnectionFailure>) -> Void
    ) -> JobCancellation
}

/// Stops a job.
public typealias JobCancellation = @Sendable () -> Void

/// Runs timers on a monotonic clock. Tests replace it by a manual one.
public protocol TimerScheduler: Sendable {
    /// The clock's present moment.
    var now: Moment { get }

    /// Calls `fire` once, `duration` from now, on any thread.
    ///
    /// - Returns: a closure that stops the timer. Calling it is optional for correctness, because late firings are ignored.
    func schedule(after duration: Duration, _ fire: @escaping @Sendable () -> Void) -> TimerCancellation
}

/// Stops a timer.
public typealias TimerCancellation = @Sendable () -> Void
