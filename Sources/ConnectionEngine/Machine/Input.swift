/// The inputs of a connection. Rare cases with large values are indirect, see ``Effect``.
public enum Input<Session: ProtocolSession>: Sendable {
    /// A user requests a connection. In phase `waiting` and `suspended` the next attempt starts at once.
    ///
    /// `within` is the time limit of all attempts together; nil for no limit.
    case connect(within: Duration?)
    /// A user requests a disconnect, in any phase.
    case disconnect
    /// A user stops the automatic retries. Ends phase `waiting` and `suspended` in `failed` with the last cause.
    case cancelRetry
    /// A user's command to the session. Without an id no caller waits for the answer.
    indirect case perform(Session.Command, RequestID?)
    /// The caller of a request stopped waiting.
    case abandon(RequestID)
    /// The policy has changed. The new one applies to steps that start from now on.
    indirect case updatePolicy(ConnectionPolicy)
    /// The transport is open.
    case opened(AttemptID)
    /// A decoded frame or answer arrived.
    case received(AttemptID, Session.Inbound)
    /// Bytes arrived that are not a complete frame, or a frame that the session does not handle. Counts as a sign of life.
    case heard(AttemptID)
    /// The transport is closed; the last report of an attempt.
    indirect case closed(AttemptID, ConnectionFailure)
    /// A job ended.
    indirect case finished(AttemptID, JobID, Result<Session.JobResult, ConnectionFailure>)
    /// A timer fired.
    case timerFired(TimerID)
    /// The network has changed.
    case networkChanged(NetworkStatus)
    /// The application went to the background: after the policy's ``ConnectionPolicy/backgroundGrace`` the connection is closed until
    /// ``leaveBackground``, and no timer runs meanwhile. ``connect(within:)`` takes effect afterwards; ``disconnect`` is final.
    /// Repeated inputs do nothing.
    case enterBackground
    /// The system is about to suspend the process: the grace period ends now. Does nothing without a grace period.
    case endBackgroundGrace
    /// The application is in the foreground again: connections that were closed or requested in the background are opened at once. Does
    /// nothing without ``enterBackground`` before.
    case leaveBackground
}
