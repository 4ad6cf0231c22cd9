import ConnectionEngine

/// A small long-poll protocol, for tests of the engine, with a handshake, a cursor and one outstanding poll.
///
/// It works like a long-poll service: the client connects with a request, each answer contains a cursor, and the next request returns the
/// messages after the cursor. No message is lost across a reconnect while the server still has the messages after the cursor; otherwise the
/// session emits a gap event. The session itself checks that the connection is alive: a heartbeat without an answer ends the attempt.
public struct PollSession: ProtocolSession {
    /// Answers that the server sends.
    public enum Inbound: Hashable, Sendable {
        /// The answer to a handshake or a poll: the next cursor, and the messages since the previous cursor. `isComplete` is false when the
        /// server no longer had all of these messages.
        case answer(cursor: Int, messages: [Int], isComplete: Bool)
        /// The answer to a heartbeat.
        case heartbeat
        /// The server accepted a publish.
        case acknowledged(Int)
        /// The server answered with an HTTP error status.
        case status(Int)
    }

    /// Requests that the client sends.
    public enum Outbound: Hashable, Sendable {
        /// Requests the messages after a cursor. Without a cursor, the request is a handshake. The request replaces the outstanding poll.
        case poll(channels: [String], cursor: Int?)
        /// Checks whether the server still answers; the server replies with `heartbeat`.
        case heartbeat
        /// Publishes a number.
        case publish(Int)
        /// Ends the session.
        case leave
    }

    /// Commands that a user gives to the session.
    public enum Command: Hashable, Sendable {
        /// Subscribe a channel.
        case subscribe(String)
        /// Unsubscribe a channel.
        case unsubscribe(String)
        /// Publish a number.
        case publish(Int)
    }

    /// The results of the session's commands.
    public enum Reply: Hashable, Sendable {
        /// The command succeeded.
        case done
    }

    /// Events for users.
    public enum Event: Hashable, Sendable {
        /// A message.
        case message(Int)
        /// Messages after this cursor may have been lost.
        case gap(afterCursor: Int)
    }

    /// State of the session that survives reconnects.
    public struct Memory: Hashable, Sendable {
        /// The channels to poll.
        public var channels: [String] = ["main"]
        /// The position after which the next poll continues; nil before the first answer.
        public var cursor: Int?

        /// Creates a memory with the channel `main` and no cursor.
        public init() {}
    }

    public typealias Endpoint = String
    public typealias Job = Never
    public typealias JobResult = Never

    private static let heartbeatDue = SessionTimer(1)
    private static let heartbeatOverdue = SessionTimer(2)

    private var isReady = false
    private var publishes: [Int: RequestID?] = [:]

    public init(memory: inout Memory) {}

    public static func endpoint(for memory: Memory) -> String { "poll" }

    public static func classify(_ failure: ConnectionFailure, memory: inout Memory) -> ConnectionFailure {
        guard let status = failure.httpStatus else { return failure }
        var failure = failure
        switch status {
        case 403: failure.category = .accessDenied
        case 500...599: failure.origin = .server
        default: failure.category = .unknown
        }
        return failure
    }

    public mutating func opened(memory: inout Memory, out: inout SessionActions<PollSession>) {
        out.send(.poll(channels: memory.channels, cursor: memory.cursor))
    }

    public mutating func received(
        _ inbound: Inbound, memory: inout Memory, out: inout SessionActions<PollSession>
    ) {
        switch inbound {
        case .answer(let cursor, let messages, let isComplete):
            if !isReady {
                isReady = true
                out.ready()
                out.startTimer(Self.heartbeatDue, after: out.timing.activity)
            }
            if let known = memory.cursor, !isComplete { out.emit(.gap(afterCursor: known)) }
            for message in messages { out.emit(.message(message)) }
            memory.cursor = max(cursor, memory.cursor ?? cursor)
            out.send(.poll(channels: memory.channels, cursor: memory.cursor))
        case .heartbeat:
            out.cancelTimer(Self.heartbeatOverdue)
            out.startTimer(Self.heartbeatDue, after: out.timing.activity)
        case .acknowledged(let number):
            if let id = publishes.removeValue(forKey: number) { out.answer(id, .success(.done)) }
        case .status(let status):
            out.fault(ConnectionFailure(.unknown, "The server answered the poll with an HTTP error status.", httpStatus: status))
        }
    }

    public mutating func perform(
        _ command: Command, id: RequestID?, memory: inout Memory, out: inout SessionActions<PollSession>
    ) {
        switch command {
        case .subscribe, .unsubscribe:
            Self.performOffline(command, id: id, memory: &memory, out: &out)
            // A new poll with the changed list of channels is sent without a reconnect. The cursor is kept, so no message is lost or
            // repeated.
            if isReady { out.send(.poll(channels: memory.channels, cursor: memory.cursor)) }
        case .publish(let number):
            publishes[number] = id
            out.send(.publish(number))
        }
    }

    public mutating func timerFired(
        _ timer: SessionTimer, memory: inout Memory, out: inout SessionActions<PollSession>
    ) {
        if timer == Self.heartbeatDue {
            out.send(.heartbeat)
            out.startTimer(Self.heartbeatOverdue, after: out.timing.probe)
        } else {
            out.fault(ConnectionFailure(.timeout, "The server did not answer the heartbeat in time."))
        }
    }

    public mutating func closing(memory: inout Memory, out: inout SessionActions<PollSession>) {
        out.send(.leave)
    }

    public mutating func ended(
        _ failure: ConnectionFailure?, lastHeard: Moment?, memory: inout Memory, out: inout SessionActions<PollSession>
    ) {
        for id in publishes.values {
            out.answer(id, .failure(ConnectionFailure(.unknown, "The connection was lost before the publish was answered.")))
        }
    }

    public static func performOffline(
        _ command: Command, id: RequestID?, memory: inout Memory, out: inout SessionActions<PollSession>
    ) {
        switch command {
        case .subscribe(let channel):
            if !memory.channels.contains(channel) { memory.channels.append(channel) }
            out.answer(id, .success(.done))
        case .unsubscribe(let channel):
            memory.channels.removeAll { $0 == channel }
            out.answer(id, .success(.done))
        case .publish:
            out.answer(id, .failure(ConnectionFailure(.badRequest, "Not connected.")))
        }
    }
}
