/// Everything that can happen to a connection. Rare cases with much to say are indirect, see ``Effect``.
public enum Input<Session: ProtocolSession>: Sendable {
    /// A user wants to be connected. In phase `waiting` and `suspended` it means: try now.
    ///
    /// `within` limits the whole undertaking, retries included; nil for no limit.
    case connect(within: Duration?)
    /// A user wants to be disconnected, in whatever phase.
    case disconnect
    /// A user wants the automatic retries to stop. Ends phase `waiting` and `suspended` in `failed` with the last cause.
    case cancelRetry
    /// A user's command to the session. Without an id no caller waits for the answer.
    indirect case perform(Session.Command, RequestID?)
    /// The caller of a request stopped waiting.
    case abandon(RequestID)
    /// Settings changed. They apply to whatever starts from now on.
    indirect case updatePolicy(ConnectionPolicy)
    /// The transport is open.
    case opened(AttemptID)
    /// Something arrived.
    case received(AttemptID, Session.Inbound)
    /// Bytes arrived that are no complete frame, or a frame that is none of the session's business. Proves life.
    case heard(AttemptID)
    /// The transport is closed; the last word of an attempt.
    indirect case closed(AttemptID, ConnectionFailure)
    /// A job ended.
    indirect case finished(AttemptID, JobID, Result<Session.JobResult, ConnectionFailure>)
    /// A timer fired.
    case timerFired(TimerID)
    /// News of the network.
    case networkChanged(NetworkStatus)
    /// The application went to the background: after the policy's ``ConnectionPolicy/backgroundGrace`` the connection is given up until
    /// ``leaveBackground``, and no timer runs meanwhile. ``connect(within:)`` is remembered; ``disconnect`` is final. Repeated inputs do
    /// nothing.
    case enterBackground
    /// The system is about to suspend the process: the rest of the grace is over now. Without one nothing happens.
    case endBackgroundGrace
    /// The application is in the foreground again: connections that were closed or requested in the background are dialled at once.
    /// Without ``enterBackground`` before, nothing happens.
    case leaveBackground
}
