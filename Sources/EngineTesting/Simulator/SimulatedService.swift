import ConnectionEngine

/// A model of a service for the simulator: the server's behaviour, and the rules for the events that users receive.
public protocol SimulatedService<Session> {
    /// The client's session type.
    associatedtype Session: ProtocolSession

    /// Creates a service at the start of a run.
    init()

    /// The session's memory at the start of a run.
    static var memory: Session.Memory { get }
    /// The client's time limits and retry settings.
    static var policy: ConnectionPolicy { get }

    /// Called with the simulated time before each event.
    ///
    /// - Throws: a violation when an expected event has not occurred in time.
    mutating func timePasses(to now: Moment) throws(Violation)
    /// Handles a new connection; the server may send the first frame.
    mutating func linkOpened(_ random: inout SeededRandom) -> [SimulatedReaction<Session.Inbound>]
    /// Handles a frame that the client sent.
    mutating func received(_ outbound: Session.Outbound, _ random: inout SeededRandom) -> [SimulatedReaction<Session.Inbound>]
    /// Lets the server act without a request, such as send a message. The reactions go to the open connection, if there is one.
    mutating func somethingHappens(_ random: inout SeededRandom) -> [SimulatedReaction<Session.Inbound>]
    /// Handles the loss of the connection: the server drops the state of this connection.
    mutating func linkLost()
    /// Draws a random command of a user.
    mutating func command(_ random: inout SeededRandom) -> Session.Command
    /// Called when a user's command was submitted as the request `id`, whose answer is expected.
    mutating func asked(_ command: Session.Command, as id: RequestID)
    /// Draws the random result of a job.
    mutating func outcome(of job: Session.Job, _ random: inout SeededRandom) -> Result<Session.JobResult, ConnectionFailure>
    /// Called when the client sends a frame. The frame may replace an earlier request of the client.
    mutating func clientSends(_ outbound: Session.Outbound)
    /// Whether `answer` becomes obsolete when the client sends `outbound` while the answer is still in transit.
    func supersedes(_ outbound: Session.Outbound, answer: Session.Inbound) -> Bool
    /// Whether the earlier `request` becomes obsolete when the client sends `outbound` while the request is still in transit.
    func supersedes(_ outbound: Session.Outbound, request: Session.Outbound) -> Bool
    /// Checks an event that a user received.
    ///
    /// - Throws: a violation when the user must not receive it.
    mutating func observe(_ event: Session.Event) throws(Violation)
    /// Checks a change of the connection that a user received.
    ///
    /// - Throws: a violation when the user must not receive it.
    mutating func observe(_ change: ConnectionChange) throws(Violation)
    /// Checks the answer to a request.
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

/// The error that a check throws when a rule was broken.
public struct Violation: Error, Hashable, CustomStringConvertible {
    public var description: String

    /// Creates a violation with a description of the broken rule.
    public init(_ description: String) {
        self.description = description
    }
}
