import ConnectionEngine
import Identifiers
import WireCoding

/// One connection to a Pusher service, as a value: the client's side of Pusher protocol 7.
///
/// Rules PS-1 to PS-38 of `docs/rules/pusher-protocol.md`.
public struct PusherSession: WebSocketSession {
    public typealias Endpoint = WebSocketEndpoint
    public typealias Inbound = PusherInbound
    public typealias Outbound = WebSocketOutbound
    public typealias Command = PusherCommand
    public typealias Reply = PusherReply
    public typealias Event = PusherSessionEvent
    public typealias Job = PusherAuthorizeJob
    public typealias JobResult = PusherAuthorization
    public typealias Memory = PusherMemory
    public typealias Decoder = PusherFrameDecoder

    typealias Actions = SessionActions<PusherSession>

    /// The session's only timer. It is set to the earliest deadline.
    static let deadlines = SessionTimer(1)

    /// The socket id of the connection; nil until the server's first message has arrived.
    var socketID: String?
    /// Whether the server replays missed events.
    var offersRecovery = false
    var live: [Identifier: LiveChannel] = [:]
    /// The state of the user's sign-in.
    var user = LiveUser()
    /// The keys of encrypted channels that are authorised, with events that wait for a newer key.
    var sealed: [Identifier: SealedChannel] = [:]
    /// Channels whose subscription was cancelled on this connection, each with the number of the last ping before the cancellation. Events
    /// of the cancelled subscription may arrive until a later ping is answered (rule PS-36).
    var takenBack: [Identifier: UInt64] = [:]
    /// Changes of members that arrived before the confirmation of their channel, in order (rule PS-37).
    var early: [Identifier: [EarlyMemberChange]] = [:]
    /// The channel of each running authorisation job.
    var jobs: [JobID: String] = [:]
    /// Client events that are not confirmed yet, in the order of sending. The pong for the ping after an event confirms the event.
    var sent: [SentEvent] = []
    /// The number of events without a waiting caller that were sent since the last ping.
    var unpinged = 0
    /// Errors that the server has sent since the latest pong. Each of them may concern one of the events in `sent`.
    var refusals: [ConnectionFailure] = []
    var pings: UInt64 = 0
    /// Whether a probe, a ping that tests the connection, was sent and has not been answered.
    var awaitsProbe = false
    /// The time for which the session's timer is set; nil when the timer is not running.
    var timerAt: Moment?

    public static func endpoint(for memory: PusherMemory) -> WebSocketEndpoint { memory.endpoint }

    public init(memory: inout PusherMemory) {
        memory.lastError = nil
    }

    /// Does nothing, because the server sends the first message of a connection.
    public mutating func opened(memory: inout PusherMemory, out: inout SessionActions<Self>) {}

    public mutating func received(
        _ inbound: PusherInbound, memory: inout PusherMemory, out: inout SessionActions<Self>
    ) {
        if let error = memory.lastError, socketID != nil {
            memory.lastError = nil
            // The server has sent a message after an error that asks for a restart, so it has not closed the connection. Therefore the
            // error is reported now (rule PS-4).
            if error.isRestart { out.emit(.serverError(code: error.code, message: error.message)) }
        }
        switch inbound {
        case .message(let envelope, let text):
            if let text { out.emit(.frame(text)) }
            route(envelope, memory: &memory, out: &out)
        case .malformed(let reason, let text):
            if let text { out.emit(.frame(text)) }
            out.emit(.malformed(reason: reason))
        case .pong(let payload):
            ponged(payload, out: &out)
        }
    }

    public mutating func perform(
        _ command: PusherCommand, id: RequestID?, memory: inout PusherMemory, out: inout SessionActions<Self>
    ) {
        switch command {
        case .subscribe(let subscription): subscribe(subscription, id: id, memory: &memory, out: &out)
        case .unsubscribe(let channel): unsubscribe(channel, id: id, memory: &memory, out: &out)
        case .publish(let channel, let event, let json):
            publish(event, json: json, on: channel, id: id, memory: &memory, out: &out)
        case .send(let event, let json): send(event, json: json, id: id, out: &out)
        case .signIn: signIn(id: id, memory: &memory, out: &out)
        case .signOut: signOut(id: id, memory: &memory, out: &out)
        }
    }

    /// Sends a WebSocket ping and a `pusher:ping`, because some servers count only one of the two as activity (rule PS-5).
    public mutating func probe(memory: inout PusherMemory, out: inout SessionActions<Self>) {
        ping(out: &out)
        out.send(.text(PusherClientFrames.ping))
        awaitsProbe = true
        out.emit(.pinged)
    }

    public mutating func ended(
        _ failure: ConnectionFailure?, lastHeard: Moment?, memory: inout PusherMemory, out: inout SessionActions<Self>
    ) {
        let unknown = ConnectionFailure(
            .unknown, "The connection ended before the server confirmed the event; it may have been delivered or not.")
        for event in sent { out.answer(event.id, .failure(unknown)) }
        sent = []
        // When the application disconnects, the positions are removed: events after a requested disconnect do not count as missed and must
        // not be replayed.
        if failure == nil { Self.forgetPositions(memory: &memory) }
        for name in memory.channels.keys.texts {
            // No newer key can arrive after the end of the session, so events that wait for a newer key are reported as not decrypted.
            for envelope in sealed[name]?.backlog ?? [] {
                out.emit(.decryptionFailed(channel: name, event: envelope.event, data: envelope.data))
            }
            guard failure != nil else { continue }
            if live[name]?.phase == .confirmed, memory.channels[name]?.lostAt == nil {
                memory.channels[name]?.lostAt = lastHeard ?? out.now
            }
            noteLoss(of: name, at: lastHeard ?? out.now, memory: &memory)
        }
    }

    /// Records that events of a channel may be lost, if events of the channel arrived before the server confirmed the subscription. The gap
    /// is reported with the next confirmation (rule PS-36).
    func noteLoss(of name: String, at moment: Moment, memory: inout PusherMemory) {
        guard let channel = live[name], channel.phase == .confirming, channel.hasTold || channel.hasMissed,
            memory.channels[name]?.lostAt == nil
        else { return }
        memory.channels[name]?.lostAt = moment
    }

    /// Sets the session's timer to `deadline`, unless it is set to an earlier time. If the deadline no longer exists when the timer fires,
    /// nothing happens.
    mutating func arm(_ deadline: Moment, out: inout Actions) {
        if let timerAt, timerAt <= deadline { return }
        timerAt = deadline
        out.startTimer(Self.deadlines, after: deadline.duration(since: out.now))
    }

    public mutating func timerFired(
        _ timer: SessionTimer, memory: inout PusherMemory, out: inout SessionActions<Self>
    ) {
        guard timer == Self.deadlines else { return }
        timerAt = nil
        let now = out.now
        for name in memory.channels.keys.texts {
            if let deadline = live[name]?.deadline, deadline <= now { deadlinePassed(name, memory: &memory, out: &out) }
            if let reload = sealed[name]?.reload, reload.deadline <= now { keyArrived(nil, for: name, out: &out) }
        }
        if let deadline = user.deadline, deadline <= now { userDeadlinePassed(memory: &memory, out: &out) }
        expireSent(out: &out)
        let next =
            live.values.map(\.deadline) + sealed.values.map { $0.reload?.deadline } + [sent.first?.deadline, user.deadline]
        if let earliest = next.compactMap({ $0 }).min() { arm(earliest, out: &out) }
    }
}
