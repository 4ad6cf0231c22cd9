import ConnectionEngine

/// The link between a machine and a model server: one attempt with its data in transit.
struct SimulatedLink {
    enum Phase {
        case dialling
        case open
        /// The link looks open from both ends, but transfers nothing any more.
        case halfOpen
        /// The client has begun the close handshake.
        case closing
    }

    let attempt: AttemptID
    var phase: Phase
    /// When the last sent element arrives; later elements of the same direction do not arrive before it.
    var lastArrivalUp: Moment
    var lastArrivalDown: Moment
}

/// How the network treats new attempts.
enum SimulatedNetwork: CaseIterable {
    case working
    case refusing
    /// The network drops all data: attempts hang.
    case mute
}

/// A scheduled event of the simulation.
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
