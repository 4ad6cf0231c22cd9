/// The part of the engine that is specific to one wire protocol, as a value.
///
/// The machine handles attempts, frames and timers. A session handles what differs between services: the handshake, the frames, the meaning
/// of close codes, and the state that survives a reconnect. It works over a WebSocket or a long-poll: for a long-poll, `opened` sends the
/// handshake request, each answer is an `Inbound`, and each further request an `Outbound`.
///
/// The machine creates a new session for every attempt; ``Memory`` is kept for the next. One driver calls all methods in one order, never
/// concurrently; the methods must not block. `out` is valid during the call only.
public protocol ProtocolSession: Sendable {
    /// The target of an attempt to connect: an address with headers, or the base address of a long-poll.
    associatedtype Endpoint: Sendable
    /// A decoded frame or a decoded answer.
    associatedtype Inbound: Sendable
    /// An element to send: a frame to write or a request to make.
    associatedtype Outbound: Sendable
    /// A user's command to the session, such as subscribe or publish.
    associatedtype Command: Sendable
    /// The answer to a command.
    associatedtype Reply: Sendable
    /// An event of the service that users receive.
    associatedtype Event: Sendable
    /// Asynchronous work that needs I/O or user code, such as authorising a channel.
    associatedtype Job: Sendable
    /// The result of a job.
    associatedtype JobResult: Sendable
    /// State that survives a reconnect: wanted channels, position in the message stream, messages to be sent.
    associatedtype Memory: Sendable

    /// The endpoint of the next attempt to connect.
    static func endpoint(for memory: Memory) -> Endpoint

    /// Determines the category of a transport's failure from its close code or HTTP status. Returns other failures unchanged.
    static func classify(_ failure: ConnectionFailure, memory: inout Memory) -> ConnectionFailure

    /// Whether the server itself requested another attempt to connect. The client then reconnects even when the user has disabled automatic
    /// retries.
    static func insistsOnRetry(after failure: ConnectionFailure) -> Bool

    /// Creates the session of a new attempt to connect.
    init(memory: inout Memory)

    /// The transport is open. The session waits for the service's greeting or sends its own, and calls `out.ready()` once the service has
    /// confirmed the connection.
    mutating func opened(memory: inout Memory, out: inout SessionActions<Self>)

    /// Handles a decoded frame or answer of the service.
    mutating func received(_ inbound: Inbound, memory: inout Memory, out: inout SessionActions<Self>)

    /// Handles a user's command while the transport is open; the service may not have confirmed the connection yet. The session answers the
    /// request `id` exactly once, in this call or later. `id` is nil when no caller waits.
    mutating func perform(_ command: Command, id: RequestID?, memory: inout Memory, out: inout SessionActions<Self>)

    /// Handles the result of a job that this session has started.
    mutating func finished(
        _ job: JobID, _ result: Result<JobResult, ConnectionFailure>, memory: inout Memory, out: inout SessionActions<Self>)

    /// Handles a timer of this session that has fired.
    mutating func timerFired(_ timer: SessionTimer, memory: inout Memory, out: inout SessionActions<Self>)

    /// Sends a message that the peer has to answer, such as a ping, to check that the connection is alive.
    mutating func probe(memory: inout Memory, out: inout SessionActions<Self>)

    /// Sends the protocol's closing message, if it has one. Called when a user requests a disconnect and the connection still works.
    mutating func closing(memory: inout Memory, out: inout SessionActions<Self>)

    /// Sends data that must not be lost, because the application is in the background and the working connection is about to be closed. The
    /// protocol's closing message is not sent, because the client will return.
    mutating func suspending(memory: inout Memory, out: inout SessionActions<Self>)

    /// Handles the end of the attempt, for any reason: emits events about losses, and answers requests whose outcome is clear. Nothing can
    /// be sent any more.
    ///
    /// - Parameters:
    ///   - failure: the cause, or nil when a user requested the end.
    ///   - lastHeard: when the peer last sent any data in this attempt, or nil if it never did.
    mutating func ended(
        _ failure: ConnectionFailure?, lastHeard: Moment?, memory: inout Memory, out: inout SessionActions<Self>)

    /// Stores, refuses or answers a user's command while there is no open transport. Nothing can be sent.
    static func performOffline(
        _ command: Command, id: RequestID?, memory: inout Memory, out: inout SessionActions<Self>)

    /// Removes a request from the messages that wait to be sent, because its caller has stopped waiting. Called in every state of the
    /// connection.
    ///
    /// - Returns: true if the request was waiting and no part of it has ever been sent. False, the default, means that it may have been
    ///   sent.
    static func withdraw(_ id: RequestID, memory: inout Memory) -> Bool
}

extension ProtocolSession {
    public static func classify(_ failure: ConnectionFailure, memory: inout Memory) -> ConnectionFailure { failure }
    public static func insistsOnRetry(after failure: ConnectionFailure) -> Bool { false }
    public static func withdraw(_ id: RequestID, memory: inout Memory) -> Bool { false }
    public mutating func probe(memory: inout Memory, out: inout SessionActions<Self>) {}
    public mutating func closing(memory: inout Memory, out: inout SessionActions<Self>) {}
    public mutating func suspending(memory: inout Memory, out: inout SessionActions<Self>) {}
    public mutating func timerFired(_ timer: SessionTimer, memory: inout Memory, out: inout SessionActions<Self>) {}
    public mutating func finished(
        _ job: JobID, _ result: Result<JobResult, ConnectionFailure>, memory: inout Memory, out: inout SessionActions<Self>
    ) {}
    public mutating func ended(
        _ failure: ConnectionFailure?, lastHeard: Moment?, memory: inout Memory, out: inout SessionActions<Self>
    ) {}
}
