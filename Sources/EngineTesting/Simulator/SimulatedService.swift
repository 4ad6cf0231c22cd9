import ConnectionEngine

/// A model of a service for the closed-loop simulator: the behaviour of the server, and the rules that users' events must follow.
public protocol SimulatedService<Session> {
    /// The session of the client.
    associatedtype Session: ProtocolSession

    /// A service at the start of a run.
    init()

    /// The session's memory at the start.
    static var memory: Session.Memory { get }
    /// The time limits and retries of the client.
    static var policy: ConnectionPolicy { get }

    /// Called with the time before each event.
    ///
    /// - Throws: a violation when something is overdue.
    mutating func timePasses(to now: Moment) throws(Violation)
    /// A link was opened; the server may send the first frame.
    mutating func linkOpened(_ random: inout SeededRandom) -> [SimulatedReaction<Session.Inbound>]
    /// The server received a frame.
    mutating func received(_ outbound: Session.Outbound, _ random: inout SeededRandom) -> [SimulatedReaction<Session.Inbound>]
    /// The server acts without a request, such as sending a message. The reactions go to the open link, if there is one.
    mutating func somethingHappens(_ random: inout SeededRandom) -> [SimulatedReaction<Session.Inbound>]
    /// The link was lost; the server drops the link's state.
    mutating func linkLost()
    /// Draws a command of a user.
    mutating func command(_ random: inout SeededRandom) -> Session.Command
    /// A command became a request whose answer is expected.
    mutating func asked(_ command: Session.Command, as id: RequestID)
    /// Draws the result of a job.
    mutating func outcome(of job: Session.Job, _ random: inout SeededRandom) -> Result<Session.JobResult, ConnectionFailure>
    /// The client sends a frame, which may replace an older request.
    mutating func clientSends(_ outbound: Session.Outbound)
    /// Whether sending `outbound` makes an answer obsolete that is still in transit.
    func supersedes(_ outbound: Session.Outbound, answer: Session.Inbound) -> Bool
    /// Whether sending `outbound` makes a request obsolete that is still in transit.
    func supersedes(_ outbound: Session.Outbound, request: Session.Outbound) -> Bool
    /// A user received an event.
    ///
    /// - Throws: a violation when the user must not receive it.
    mutating func observe(_ event: Session.Event) throws(Violation)
    /// A user received a change of the connection.
    ///
    /// - Throws: a violation when the user must not receive it.
    mutating func observe(_ change: ConnectionChange) throws(Violation)
    /// A request was answered.
    ///
    /// - Throws: a violation when the answer is wrong.
    mutating func observe(_ id: RequestID, _ result: Result<Session.Reply, ConnectionFailure>) throws(Violation)
}

extension SimulatedService {
    public static var policy: ConnectionPolicy { .fast }
    public mutating func timePasses(to now: Moment) throws(Violation) {}
    public mutating func clientSends(_ outbound: Session.Outbound) {}
    public func supersedes(_ outbound: Session.Outbound, answer: Session.Inbound) -> Bool { false }
    public func supersedes(_ outbound: Session.Outbound, request: Session.Outbound) -> Bool { false }
    public mutating func observe(_ change: ConnectionChange) throws(Violation) {}
    public mutating func asked(_ command: Session.Command, as id: RequestID) {}
    public mutating func observe(_ id: RequestID, _ result: Result<Session.Reply, ConnectionFailure>) throws(Violation) {}
}

/// An action of the model server.
public enum SimulatedReaction<Inbound: Sendable>: Sendable {
    /// Sends a frame to the client.
    case deliver(Inbound)
    /// Closes the link.
    case close(ConnectionFailure)
}

/// A rule was broken.
public struct Violation: Error, Hashable, CustomStringConvertible {
    public var description: String

    /// A violation with a description.
    public init(_ description: String) {
        self.description = description
    }
}
