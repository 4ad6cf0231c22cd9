/// An effect that the machine wants performed. The driver performs effects in order; none may block.
///
/// Rare cases with large values are indirect, so that the frequent ones stay small: a message is moved through two arrays of these.
public enum Effect<Session: ProtocolSession>: Sendable {
    /// Open a transport.
    indirect case open(AttemptID, Session.Endpoint)
    /// Write a frame or make a request.
    case send(AttemptID, Session.Outbound)
    /// End an attempt. Its transport reports `closed` after a close handshake, and nothing after an abort.
    case close(AttemptID, CloseReason)
    /// Start side work.
    indirect case run(AttemptID, JobID, Session.Job)
    /// Stop the side work of an attempt that is over.
    case cancelJobs(AttemptID)
    case startTimer(TimerID, after: Duration)
    case cancelTimer(TimerID)
    /// Announce a change of the connection to users.
    indirect case announce(ConnectionChange)
    /// Deliver an event of the service to users.
    case deliver(Session.Event)
    /// Answer a request.
    indirect case answer(RequestID, Result<Session.Reply, ConnectionFailure>)
}

/// How an attempt is closed.
public enum CloseReason: Hashable, Sendable {
    /// The protocol's closing handshake; the peer may answer.
    case goodbye
    /// Close at once, without sending anything.
    case abort
}
