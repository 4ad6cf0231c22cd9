import ConnectionEngine

/// A small push protocol, for tests of the engine, with a greeting, channels, acknowledged publishes and pings.
///
/// It works like a WebSocket service: the server greets, the client subscribes to its channels, and the server pushes messages. Messages
/// that the server sent while the connection was lost are not sent again. Therefore the session emits a gap event when it subscribes again.
public struct LineSession: ProtocolSession {
    /// Frames that the server sends.
    public enum Inbound: Hashable, Sendable {
        /// The first frame of a connection.
        case greeting
        /// The server confirmed the subscription to a channel.
        case subscribed(String)
        /// A message of a channel.
        case message(channel: String, number: Int)
        /// The server accepted a publish.
        case acknowledged(Int)
        /// The answer to a ping.
        case pong
        /// The server ends the connection.
        case goAway(ConnectionFailure)
    }

    /// Frames that the client sends.
    public enum Outbound: Hashable, Sendable {
        /// Subscribes a channel.
        case subscribe(String)
        /// Unsubscribes a channel.
        case unsubscribe(String)
        /// Publishes a number.
        case publish(Int)
        /// Checks whether the server still answers; the server replies with `pong`.
        case ping
        /// Ends the connection.
        case goodbye
    }

    /// Commands that a user gives to the session.
    public enum Command: Hashable, Sendable {
        /// Subscribe a channel.
        case subscribe(String)
        /// Unsubscribe a channel.
        case unsubscribe(String)
        /// Publish a number.
        case publish(Int)
        /// Subscribes a channel after a job has authorised it.
        case authorize(String)
        /// Unsubscribes a channel, and disconnects when no channel is left.
        case leaveLast(String)
    }

    /// The results of commands.
    public enum Reply: Hashable, Sendable {
        /// The command succeeded.
        case done
    }

    /// Events for users.
    public enum Event: Hashable, Sendable {
        /// The server confirmed the subscription to a channel.
        case subscribed(String)
        /// A message of a channel.
        case message(channel: String, number: Int)
        /// Messages of a channel may have been lost since this moment.
        case gap(channel: String, since: Moment)
        /// The session's timer, which starts with the greeting, has fired.
        case timerFired
    }

    /// State of the session that survives reconnects.
    public struct Memory: Hashable, Sendable {
        /// The channels to which the session subscribes.
        public var wanted: [String] = []
        var waiting: [String: [RequestID]] = [:]
        /// For each channel that was subscribed when the connection was lost, the time at which data was last received before the loss.
        var lostAt: [String: Moment] = [:]

        /// Creates a memory without channels.
        public init() {}
    }

    public typealias Endpoint = String
    public typealias Job = String
    public typealias JobResult = Bool

    private var confirmed: Set<String> = []
    /// For each channel, how many subscribe frames the server has not confirmed yet. The channel counts as subscribed only after the last
    /// confirmation, because the earlier confirmations answer subscriptions that the client has replaced.
    private var unconfirmed: [String: Int] = [:]
    private var isGreeted = false
    private var publishes: [Int: RequestID?] = [:]
    private var jobs: [JobID: (channel: String, id: RequestID?)] = [:]

    /// A timer that starts with the greeting and fires after `timing.request`, for tests of timers.
    public static let timer = SessionTimer(1)

    public init(memory: inout Memory) {}

    public static func endpoint(for memory: Memory) -> String { "line" }

    public mutating func opened(memory: inout Memory, out: inout SessionActions<LineSession>) {}

    public mutating func received(
        _ inbound: Inbound, memory: inout Memory, out: inout SessionActions<LineSession>
    ) {
        switch inbound {
        case .greeting:
            isGreeted = true
            out.ready()
            out.startTimer(Self.timer, after: out.timing.request)
            for channel in memory.wanted { subscribe(channel, &out) }
        case .subscribed(let channel):
            guard let left = unconfirmed[channel] else { return }
            unconfirmed[channel] = left > 1 ? left - 1 : nil
            guard left == 1, memory.wanted.contains(channel), confirmed.insert(channel).inserted else { return }
            out.emit(.subscribed(channel))
            if let since = memory.lostAt.removeValue(forKey: channel) { out.emit(.gap(channel: channel, since: since)) }
            for id in memory.waiting.removeValue(forKey: channel) ?? [] { out.answer(id, .success(.done)) }
        case .message(let channel, let number):
            if confirmed.contains(channel) { out.emit(.message(channel: channel, number: number)) }
        case .acknowledged(let number):
            if let id = publishes.removeValue(forKey: number) { out.answer(id, .success(.done)) }
        case .pong:
            return
        case .goAway(let failure):
            out.fault(failure)
        }
    }

    private mutating func subscribe(_ channel: String, _ out: inout SessionActions<LineSession>) {
        unconfirmed[channel, default: 0] += 1
        out.send(.subscribe(channel))
    }

    public mutating func perform(
        _ command: Command, id: RequestID?, memory: inout Memory, out: inout SessionActions<LineSession>
    ) {
        switch command {
        case .subscribe(let channel):
            if confirmed.contains(channel) {
                out.answer(id, .success(.done))
                return
            }
            let isNew = !memory.wanted.contains(channel)
            Self.performOffline(command, id: id, memory: &memory, out: &out)
            if isNew && isGreeted { subscribe(channel, &out) }
        case .unsubscribe(let channel), .leaveLast(let channel):
            confirmed.remove(channel)
            out.send(.unsubscribe(channel))
            Self.performOffline(command, id: id, memory: &memory, out: &out)
            if case .leaveLast = command, memory.wanted.isEmpty { out.finish() }
        case .publish(let number):
            publishes[number] = id
            out.send(.publish(number))
        case .authorize(let channel):
            if let job = out.run(channel) { jobs[job] = (channel, id) }
        }
    }

    public mutating func finished(
        _ job: JobID, _ result: Result<Bool, ConnectionFailure>, memory: inout Memory,
        out: inout SessionActions<LineSession>
    ) {
        guard let (_, id) = jobs.removeValue(forKey: job) else { return }
        out.answer(id, result.map { _ in .done })
    }

    public mutating func timerFired(
        _ timer: SessionTimer, memory: inout Memory, out: inout SessionActions<LineSession>
    ) {
        out.emit(.timerFired)
    }

    public mutating func probe(memory: inout Memory, out: inout SessionActions<LineSession>) {
        out.send(.ping)
    }

    public mutating func closing(memory: inout Memory, out: inout SessionActions<LineSession>) {
        out.send(.goodbye)
    }

    public mutating func ended(
        _ failure: ConnectionFailure?, lastHeard: Moment?, memory: inout Memory, out: inout SessionActions<LineSession>
    ) {
        for id in publishes.values {
            out.answer(id, .failure(ConnectionFailure(.unknown, "The connection was lost before the publish was acknowledged.")))
        }
        for (_, id) in jobs.values {
            out.answer(id, .failure(ConnectionFailure(.unknown, "The connection was lost before the channel was authorised.")))
        }
        for channel in confirmed where memory.wanted.contains(channel) && memory.lostAt[channel] == nil {
            memory.lostAt[channel] = lastHeard ?? out.now
        }
        if failure == nil { memory.lostAt.removeAll() }
    }

    public static func performOffline(
        _ command: Command, id: RequestID?, memory: inout Memory, out: inout SessionActions<LineSession>
    ) {
        switch command {
        case .subscribe(let channel):
            if !memory.wanted.contains(channel) { memory.wanted.append(channel) }
            if let id { memory.waiting[channel, default: []].append(id) }
        case .unsubscribe(let channel), .leaveLast(let channel):
            memory.wanted.removeAll { $0 == channel }
            memory.lostAt[channel] = nil
            for waiting in memory.waiting.removeValue(forKey: channel) ?? [] {
                out.answer(waiting, .failure(ConnectionFailure(.cancelled, "The user unsubscribed the channel.")))
            }
            out.answer(id, .success(.done))
        case .publish, .authorize:
            out.answer(id, .failure(ConnectionFailure(.badRequest, "Not connected.")))
        }
    }
}
