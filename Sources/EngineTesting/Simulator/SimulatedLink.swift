import ConnectionEngine

/// The link between a machine and a model server: one attempt with its bytes on the way.
struct SimulatedLink {
    enum Phase {
        case dialling
        case open
        /// Looks open from both ends, but carries nothing any more.
        case halfOpen
        /// The client has begun the close handshake.
        case closing
    }

    let attempt: AttemptID
    var phase: Phase
    /// Nothing arrives before an element that was sent earlier in the same direction.
    var lastArrivalUp: Moment
    var lastArrivalDown: Moment
}

/// How the network treats new attempts.
enum SimulatedNetwork: CaseIterable {
    case working
    case refusing
    /// Swallows everything: dials hang.
    case mute
}

/// Something that is going to happen.
enum Occurrence<Session: ProtocolSession> {
    case opened(AttemptID)
    case serverReceives(AttemptID, Session.Outbound)
    case clientReceives(AttemptID, Session.Inbound)
    case closed(AttemptID, ConnectionFailure)
    case jobEnds(AttemptID, JobID, Result<Session.JobResult, ConnectionFailure>)

    var attempt: AttemptID {
        switch self {
        case .opened(let attempt), .serverReceives(let attempt, _), .clientReceives(let attempt, _),
            .closed(let attempt, _), .jobEnds(let attempt, _, _):
            attempt
        }
    }
}
