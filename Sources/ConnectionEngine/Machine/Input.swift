/// The inputs of a connection. Rare cases with large values are indirect, which keeps the enum small, as in ``Effect``.
public enum Input<Session: ProtocolSession>: Sendable {
    /// A user requests a connection. In phase `waiting` and `suspended` the next attempt starts at once.
    ///
    /// `within` is the time limit of all attempts together; nil for no limit.
    case connect(within: Duration?)
    /// A user requests a disconnect, in any phase.
    case disconnect
    /// A user stops the automatic retries. In phases `waiting` and `suspended` the machine enters phase `failed`, with the last failure as
    /// the cause.
    case cancelRetry
    /// A user's command to the session. The request id is nil when no caller waits for the answer.
    indirect case perform(Session.Command, RequestID?)
    /// The caller of a request stopped waiting for its answer.
    case abandon(RequestID)
    /// The policy has changed. The new policy applies to timers and attempts to connect that start from now on.
    indirect case updatePolicy(ConnectionPolicy)
    /// The transport is open.
    case opened(AttemptID)
    /// The transport has received and decoded a frame or an answer.
    case received(AttemptID, Session.Inbound)
    /// The transport received bytes that are not a complete frame, or a frame that the session does not handle. In both cases the
    /// connection is alive.
    case heard(AttemptID)
    /// The transport is closed. It reports nothing more for this attempt to connect.
    indirect case closed(AttemptID, ConnectionFailure)
    /// A job ended.
    indirect case finished(AttemptID, JobID, Result<Session.JobResult, ConnectionFailure>)
    /// A timer fired.
    case timerFired(TimerID)
    /// The network has changed.
    case networkChanged(NetworkStatus)
    /// The application went to the background. After the policy's ``ConnectionPolicy/backgroundGrace`` the connection is closed and no
    /// timer runs until ``leaveBackground``.
    ///
    /// A ``connect(within:)`` in the background takes effect when the application returns; after a ``disconnect`` in the background, the
    /// return opens no connection. Another `enterBackground` in the background has no effect.
    case enterBackground
    /// The system is about to suspend the process, so the grace period ends now. Has no effect when no grace period is running.
    case endBackgroundGrace
    /// The application has returned to the foreground. A connection that was closed or requested in the background is opened at once. Has
    /// no effect without an earlier ``enterBackground``.
    case leaveBackground
}
