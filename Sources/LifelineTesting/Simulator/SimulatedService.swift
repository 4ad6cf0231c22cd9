import ConnectionEngine

/// A model of a service, for the closed-loop simulator: what the server does with what it gets, and what users must see.
public protocol SimulatedService<Session> {
    associatedtype Session: ProtocolSession

    init()

    /// What survives reconnects, at the start.
    static var memory: Session.Memory { get }
    static var policy: ConnectionPolicy { get }

    /// What time it is; comes before whatever happens then. Throws when something is overdue.
    mutating func timePasses(to now: Moment) throws(Violation)
    /// A link is open: perhaps the server speaks first.
    mutating func linkOpened(_ random: inout SeededRandom) -> [Reaction<Session.Inbound>]
    /// The server got something.
    mutating func received(_ outbound: Session.Outbound, _ random: inout SeededRandom) -> [Reaction<Session.Inbound>]
    /// Something happens at the server by itself, such as a message; the reactions go to the open link, if there is one.
    mutating func somethingHappens(_ random: inout SeededRandom) -> [Reaction<Session.Inbound>]
    /// The link is gone; the server forgets what belonged to it.
    mutating func linkLost()
    /// Something that a user might ask.
    mutating func command(_ random: inout SeededRandom) -> Session.Command
    /// That command is now a request which somebody waits for.
    mutating func asked(_ command: Session.Command, as id: RequestID)
    /// What a job comes to.
    mutating func outcome(of job: Session.Job, _ random: inout SeededRandom) -> Result<Session.JobResult, ConnectionFailure>
    /// The client sends something, which may take the place of an older request.
    mutating func clientSends(_ outbound: Session.Outbound)
    /// Whether sending `outbound` makes an answer obsolete that is still on its way.
    func supersedes(_ outbound: Session.Outbound, answer: Session.Inbound) -> Bool
    /// Whether sending `outbound` makes a request obsolete that is still on its way.
    func supersedes(_ outbound: Session.Outbound, request: Session.Outbound) -> Bool
    /// What a user saw; throws when it must not be seen.
    mutating func observe(_ event: Session.Event) throws(Violation)
    mutating func observe(_ change: ConnectionChange) throws(Violation)
    /// What a request was answered; throws when that is not so.
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

/// What a model server does.
public enum Reaction<Inbound: Sendable>: Sendable {
    case deliver(Inbound)
    case close(ConnectionFailure)
}

/// A rule was broken.
public struct Violation: Error, Hashable, CustomStringConvertible {
    public var description: String

    public init(_ description: String) {
        self.description = description
    }
}
