/// The part of one wire protocol in the engine, as a value.
///
/// The machine handles attempts, frames and timers. A session has everything that differs between services: the handshake, the frames,
/// the meaning of close codes, and the state that survives a reconnect. It works over a WebSocket or a long-poll: for the latter
/// `opened` sends the handshake request, each answer is an `Inbound`, and each further request an `Outbound`.
///
/// A new session value is made for every attempt; ``Memory`` outlives it. All methods are called in one order by one driver,
/// never concurrently, and must not block. `out` is valid during the call only.
public protocol ProtocolSession: Sendable {
    /// The target of an attempt: an address with headers, or the base address of a long-poll.
    associatedtype Endpoint: Sendable
    /// A decoded frame, or an answer.
    associatedtype Inbound: Sendable
    /// An element to send: a frame to write or a request to make.
    associatedtype Outbound: Sendable
    /// A user's command to the session, such as subscribe or publish.
    associatedtype Command: Sendable
    /// The answer to a command.
    associatedtype Reply: Sendable
    /// An event of the service that users receive.
    associatedtype Event: Sendable
    /// Side work that needs I/O or user code: authorising a channel.
    associatedtype Job: Sendable
    /// The result of a job.
    associatedtype JobResult: Sendable
    /// State that survives a reconnect: wanted channels, cursor, outbox.
    associatedtype Memory: Sendable

    /// The endpoint of the next attempt.
    static func endpoint(for memory: Memory) -> Endpoint

    /// Classifies a transport's failure by close code or HTTP status. Returns it unchanged when there is nothing to add.
    static func classify(_ failure: ConnectionFailure, memory: inout Memory) -> ConnectionFailure

    /// Whether the server itself requests another attempt, even when the user has disabled automatic retries.
    static func insistsOnRetry(after failure: ConnectionFailure) -> Bool

    /// A session for a new attempt.
    init(memory: inout Memory)

    /// The transport is open. Either wait for the service's greeting or send one; call `out.ready()` once confirmed.
    mutating func opened(memory: inout Memory, out: inout SessionActions<Self>)

    /// A decoded frame or answer arrived.
    mutating func received(_ inbound: Inbound, memory: inout Memory, out: inout SessionActions<Self>)

    /// A user's command while an attempt is alive; the session may not be ready yet. Answer `id` now or later, exactly once;
    /// nil when nobody waits.
    mutating func perform(_ command: Command, id: RequestID?, memory: inout Memory, out: inout SessionActions<Self>)

    /// A job of this attempt ended.
    mutating func finished(
        _ job: JobID, _ result: Result<JobResult, ConnectionFailure>, memory: inout Memory, out: inout SessionActions<Self>)

    /// A timer of this session fired.
    mutating func timerFired(_ timer: SessionTimer, memory: inout Memory, out: inout SessionActions<Self>)

    /// Requests a sign of life from the peer.
    mutating func probe(memory: inout Memory, out: inout SessionActions<Self>)

    /// A user asked to disconnect and the link still works: sends the protocol's closing message, if it has one.
    mutating func closing(memory: inout Memory, out: inout SessionActions<Self>)

    /// The application goes to the background, and the link, which still works, is about to be closed: sends data that must not be
    /// lost. The protocol's closing message is not sent, because the client will return.
    mutating func suspending(memory: inout Memory, out: inout SessionActions<Self>)

    /// The attempt has ended, for any reason. Emits losses, and answers requests whose outcome is known. Nothing can be sent any more.
    ///
    /// - Parameters:
    ///   - failure: the cause, or nil when the end was requested.
    ///   - lastHeard: when the peer last sent any data in this attempt, or nil if it never did.
    mutating func ended(
        _ failure: ConnectionFailure?, lastHeard: Moment?, memory: inout Memory, out: inout SessionActions<Self>)

    /// A user's command while there is no attempt: stores, refuses or answers it. Nothing can be sent.
    static func performOffline(
        _ command: Command, id: RequestID?, memory: inout Memory, out: inout SessionActions<Self>)

    /// The caller of a request stopped waiting for it: remove it from the messages that wait to be sent. Called in every state of the
    /// connection.
    ///
    /// - Returns: whether it had been waiting and nothing of it has ever been sent. False, the default, means that it may have been sent.
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
