import ConnectionEngine

/// The simulated connection between a machine and a model server: the number and the phase of the attempt to connect, and the arrival times
/// of data in transit.
struct SimulatedLink {
    enum Phase {
        case dialling
        case open
        /// The connection looks open from both sides, but transfers no data any more.
        case halfOpen
        /// The client has begun the close handshake.
        case closing
    }

    let attempt: AttemptID
    var phase: Phase
    /// The time at which the last element from the client arrives at the server. Elements that the client sends later do not arrive
    /// earlier.
    var lastArrivalUp: Moment
    var lastArrivalDown: Moment
}

/// How the simulated network treats new attempts to connect.
enum SimulatedNetwork: CaseIterable {
    case working
    case refusing
    /// The network drops all data, so attempts to connect never get an answer.
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
