/// An effect that the machine requests. The driver performs effects in order; none may block.
///
/// Rare cases with large values are indirect to keep the enum small, because every received message is moved through two arrays of effects.
public enum Effect<Session: ProtocolSession>: Sendable {
    /// Open a transport.
    indirect case open(AttemptID, Session.Endpoint)
    /// Write a frame or make a request.
    case send(AttemptID, Session.Outbound)
    /// Close the transport of an attempt to connect, or of the connection that the attempt has led to. After `goodbye` the transport
    /// reports `closed`; after `abort` it reports nothing.
    case close(AttemptID, CloseReason)
    /// Start side work.
    indirect case run(AttemptID, JobID, Session.Job)
    /// Stop the jobs of a session whose attempt to connect, or whose connection, has ended.
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

/// How a transport is closed: with or without the close handshake of its protocol.
public enum CloseReason: Hashable, Sendable {
    /// Close with the protocol's close handshake, and wait for the peer's answer.
    case goodbye
    /// Close at once, without sending anything.
    case abort
}
