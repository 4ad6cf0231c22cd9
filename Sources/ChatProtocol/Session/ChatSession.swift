import ConnectionEngine
import Identifiers
import OrderedCollections
import WireCoding

/// One connection to a chat service, as a value: the client's side of `docs/chat-protocol.md`.
///
/// It follows rules NS-1 to NS-34 of `docs/rules/chat-session.md`.
public struct ChatSession: WebSocketSession {
    public typealias Endpoint = WebSocketEndpoint
    public typealias Inbound = ChatInbound
    public typealias Outbound = WebSocketOutbound
    public typealias Command = ChatCommand
    public typealias Reply = ChatReply
    public typealias Event = ChatSessionEvent
    public typealias Job = Never
    public typealias JobResult = Never
    public typealias Memory = ChatMemory
    public typealias Decoder = ChatFrameDecoder

    typealias Actions = SessionActions<ChatSession>

    /// The timer for the earliest deadline of all requests and messages.
    static let deadlines = SessionTimer(1)
    /// The timer that sends an acknowledgement some time after the application has stored events.
    static let acknowledging = SessionTimer(2)

    var isWelcome = false
    /// Whether the server has begun another epoch of the inbox, for example after a restart without a store.
    var isForgetful = false
    /// The server's time at the welcome, in ms since 1970.
    var welcomedAt: Int64 = 0
    /// Whether all missed events have arrived in packages on this connection. From then on, new events arrive one by one.
    var isCaughtUp = false
    /// The sequence number of the last event of the latest package, until the client has acknowledged this package; then nil.
    var packageEnd: UInt64?
    /// The deadline for the next package; nil while the client has to acknowledge a package, and when no package follows.
    var packageDeadline: Moment?
    /// The highest sequence number of the inbox events that this connection has received, including repeated ones. Higher numbers are never
    /// acknowledged on this connection.
    var received: UInt64 = 0
    /// The sequence number of the last inbox event that was acknowledged on this connection.
    var acknowledged: UInt64 = 0
    /// The number of inbox events that the session has reported since it last sent an acknowledgement.
    var toldSince = 0
    var isAcknowledging = false
    /// Requests, other than messages, that wait for their answers, by number.
    var requests: OrderedDictionary<UInt64, Pending> = [:]
    var lastNumber: UInt64 = 0
    /// The state of each open channel on this connection.
    var open: [Identifier: OpenState] = [:]
    var pings: UInt64 = 0
    /// The time at which the timer for deadlines fires; nil when it is not running.
    var timerAt: Moment?
    /// The reason that the server gave when it ended the session for good; nil as long as it has not done so.
    var farewell: ConnectionFailure?
    /// Whether the application is disconnecting, so that no further frame is sent.
    var isLeaving = false

    /// A request that waits for its answer.
    struct Pending: Sendable {
        enum Kind: Sendable {
            case call(RequestID?)
            case enter(String)
        }

        var kind: Kind
        var deadline: Moment
    }

    public static func endpoint(for memory: ChatMemory) -> WebSocketEndpoint { memory.endpoint }

    public init(memory: inout ChatMemory) {
        memory.outbox.startOver()
    }

    /// Sends the hello, which is the first frame (rules NS-1 and NS-2).
    public mutating func opened(memory: inout ChatMemory, out: inout SessionActions<Self>) {
        Self.expire(memory: &memory, out: &out, isConnected: false)
        if let deadline = memory.outbox.earliestDeadline { arm(deadline, out: &out) }
        let hello = ChatHello(
            appKey: memory.appKey, token: memory.token, device: memory.device, client: memory.client, resume: memory.resume,
            isReconnect: memory.wasLost && out.isReconnecting, yields: memory.yields)
        Self.send(.hello(hello), out: &out)
    }

    public mutating func received(
        _ inbound: ChatInbound, memory: inout ChatMemory, out: inout SessionActions<Self>
    ) {
        switch inbound {
        case .event(let item): event(item, memory: &memory, out: &out)
        case .transient(let event): transient(event, memory: &memory, out: &out)
        case .answer(let number, let answer): answered(number, with: answer, memory: &memory, out: &out)
        case .refusal(let number, let refusal): refused(number, with: refusal, memory: &memory, out: &out)
        case .package(let items, let hasMore): package(items, hasMore: hasMore, memory: &memory, out: &out)
        case .welcome(let welcome): self.welcome(welcome, memory: &memory, out: &out)
        case .bye(let bye): self.bye(bye, out: &out)
        // Any received frame, including this one, has already counted as a sign of life (rule LV-1).
        case .pong: break
        case .malformed(let reason): malformed(reason, out: &out)
        }
    }

    /// Handles the welcome: stores its inbox position, enters open channels, and begins to send waiting messages (rules NS-3 and NS-4).
    private mutating func welcome(_ welcome: ChatWelcome, memory: inout ChatMemory, out: inout Actions) {
        guard !isWelcome else { return }
        isWelcome = true
        welcomedAt = welcome.time
        memory.user = welcome.user
        memory.wasLost = false
        // If this device has already received the messages that the server has lost, nothing is lost for the user.
        var hasLost = welcome.hasLost
        if let known = memory.resume, known.epoch == welcome.place.epoch {
            // Messages that were delivered but not stored arrive again. Their sequence numbers show that they are repetitions.
            hasLost = hasLost && welcome.place.sequence > memory.delivered
            if welcome.place.sequence > known.sequence { memory.resume = welcome.place }
            memory.delivered = max(memory.delivered, welcome.place.sequence)
        } else {
            isForgetful = memory.resume != nil
            memory.resume = welcome.place
            memory.delivered = welcome.place.sequence
        }
        (received, acknowledged) = (welcome.place.sequence, welcome.place.sequence)
        out.limitSilence(to: .milliseconds(min(max(welcome.heartbeat, 1_000), 86_400_000)))
        out.emit(.welcomed(welcome))
        out.ready()
        expectPackage(out: &out)
        if hasLost { out.emit(.gap(since: memory.lostAt)) }
        memory.lostAt = nil
        // Channels are entered before messages are sent, because messages may be for these channels.
        for name in memory.openChannels { renew(name, memory: &memory, out: &out) }
        transmit(memory: &memory, out: &out)
    }

    public mutating func perform(
        _ command: ChatCommand, id: RequestID?, memory: inout ChatMemory, out: inout SessionActions<Self>
    ) {
        switch command {
        case .send(let draft): send(draft, id: id, memory: &memory, out: &out)
        case .request(let request): call(request, id: id, out: &out)
        case .typing(let to, let type):
            if isWelcome { Self.send(.typing(to: to, type: type), out: &out) }
            out.answer(id, .success(.done))
        case .enter(let entry): enter(entry, id: id, memory: &memory, out: &out)
        case .exit(let channel): exit(channel, id: id, memory: &memory, out: &out)
        case .acknowledge(let place):
            acknowledge(place, memory: &memory, out: &out)
            out.answer(id, .success(.done))
        case .leave(let disablePush):
            // Only the setting is recorded here. `closing` sends the frame `leave` later. `ended` answers the waiting messages, because the
            // connection may be lost before `closing` is called.
            memory.disablesPush = disablePush
            isLeaving = true
            out.answer(id, .success(.done))
        case .expire:
            Self.expire(memory: &memory, out: &out, isConnected: isWelcome)
            transmit(memory: &memory, out: &out)
            out.answer(id, .success(.done))
        case .setToken: Self.performOffline(command, id: id, memory: &memory, out: &out)
        }
    }

    /// Sends a WebSocket ping, which all servers answer (chat-protocol.md, section 3). The payload is the ping's number (rule NS-6).
    public mutating func probe(memory: inout ChatMemory, out: inout SessionActions<Self>) {
        pings += 1
        out.send(.ping(Array(String(pings).utf8)))
    }

    /// Acknowledges the stored events before the connection is suspended in the background (rule NS-33).
    public mutating func suspending(memory: inout ChatMemory, out: inout SessionActions<Self>) {
        flushAcknowledgement(memory: memory, out: &out)
    }

    /// Acknowledges the stored events and sends the frame `leave`, before the engine closes the connection (rule NS-7).
    public mutating func closing(memory: inout ChatMemory, out: inout SessionActions<Self>) {
        flushAcknowledgement(memory: memory, out: &out)
        Self.send(.leave(disablePush: memory.disablesPush), out: &out)
    }

    public mutating func timerFired(
        _ timer: SessionTimer, memory: inout ChatMemory, out: inout SessionActions<Self>
    ) {
        guard timer == Self.deadlines else {
            isAcknowledging = false
            flushAcknowledgement(memory: memory, out: &out)
            return
        }
        timerAt = nil
        Self.expire(memory: &memory, out: &out, isConnected: isWelcome)
        expireRequests(memory: &memory, out: &out)
        transmit(memory: &memory, out: &out)
        if let packageDeadline, packageDeadline <= out.now {
            let reason = "The server did not send the missed events within \(out.timing.request.inSeconds) s."
            out.fault(ConnectionFailure(.timeout, reason, origin: .server))
            return
        }
        let next = [requests.values.first?.deadline, memory.outbox.earliestDeadline, packageDeadline]
        if let earliest = next.compactMap({ $0 }).min() { arm(earliest, out: &out) }
    }

    public mutating func ended(
        _ failure: ConnectionFailure?, lastHeard: Moment?, memory: inout ChatMemory, out: inout SessionActions<Self>
    ) {
        for pending in requests.values {
            guard case .call(let id) = pending.kind else { continue }
            out.answer(id, .failure(Self.unanswered))
        }
        requests = [:]
        memory.outbox.startOver()
        if isWelcome {
            memory.wasLost = true
            memory.lostAt = lastHeard ?? out.now
            for name in open.keys where memory.entries[name]?.lostAt == nil {
                memory.entries[name]?.lostAt = memory.lostAt
            }
        }
        if failure == nil || farewell != nil || isLeaving {
            memory.wasLost = false
            Self.giveUp(farewell ?? Self.notConnected, memory: &memory, out: &out)
        } else {
            Self.expire(memory: &memory, out: &out, isConnected: false)
        }
    }

    /// Starts the timer for `deadline` if no earlier one is set. A timer whose deadline no longer exists has no effect.
    mutating func arm(_ deadline: Moment, out: inout Actions) {
        if let timerAt, timerAt <= deadline { return }
        timerAt = deadline
        out.startTimer(Self.deadlines, after: deadline.duration(since: out.now))
    }

    static func send(_ frame: ChatClientFrame, out: inout Actions) {
        out.send(.text(ChatClientFrames.encode(frame)))
    }
}
