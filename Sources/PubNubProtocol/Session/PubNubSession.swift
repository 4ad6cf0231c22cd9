import ConnectionEngine

/// A subscription to a PubNub service by long polling, as a value without input and output of its own.
///
/// It implements the rules PX of `docs/rules/pubnub-session.md`. First the session requests the present position of the service's stream
/// (the handshake). Then one poll is always outstanding, and each answer contains the position of the next poll. Heartbeats, leaves and
/// tests of the connection are separate calls.
public struct PubNubSession: LongPollSession {
    public typealias Endpoint = HTTPEndpoint
    public typealias Inbound = LongPollInbound<PubNubAnswer>
    public typealias Outbound = LongPollOutbound
    public typealias Command = PubNubCommand
    public typealias Reply = PubNubReply
    public typealias Event = PubNubSessionEvent
    public typealias Job = Never
    public typealias JobResult = Never
    public typealias Memory = PubNubMemory
    public typealias Decoder = PubNubAnswerDecoder

    typealias Actions = SessionActions<PubNubSession>

    /// What the session does at present, such as which request it waits for. An associated number is the number of that request.
    enum Step {
        /// No request is in progress.
        case idle
        /// The session has requested the service's time, to check whether the service can be reached, before it subscribes.
        case reaching(UInt64)
        case shakingHands(UInt64)
        case polling(HeldPoll)
        /// The session waits before the next poll (rule PX-16).
        case pausing
        /// No channel or group is subscribed any more. The connection ends when the service has answered the leave request (rule PX-52).
        case leaving
    }

    /// A poll that the service has not answered yet.
    struct HeldPoll {
        /// The numbers of the poll's requests, from the first request to the latest repetition. The first answer to one of these requests
        /// is used (rule PX-41).
        var ids: ClosedRange<UInt64>
        /// When the poll's first request was sent.
        let since: Moment
        /// When the latest request of the poll was sent: the first request or a repetition.
        var askedAt: Moment
    }

    /// The kinds of requests that the session makes besides subscribe requests.
    enum Call {
        case time
        case heartbeat
        case leave
    }

    static let heartbeatTimer = SessionTimer(1)
    static let testTimer = SessionTimer(2)
    static let pauseTimer = SessionTimer(3)
    static let reachingTimer = SessionTimer(4)
    static let renewalTimer = SessionTimer(5)

    var step = Step.idle
    var calls: [UInt64: Call] = [:]
    /// Whether the session has reported the connection as ready.
    var isReady = false
    /// Whether a request that tests the connection is unanswered.
    var isTesting = false
    /// The number of consecutive answers to polls that came within a second and without new messages (rule PX-16).
    var fruitless = 0
    /// The number of consecutive answers to polls with the timetoken 0.
    var zeros = 0

    public static func endpoint(for memory: PubNubMemory) -> HTTPEndpoint { memory.settings.endpoint }

    public init(memory: inout PubNubMemory) {}

    /// Begins the session on a new connection. The first request is a check of the service or a handshake; if no channel or group is
    /// wanted, the connection ends (rules PX-1 to PX-3).
    public mutating func opened(memory: inout PubNubMemory, out: inout SessionActions<PubNubSession>) {
        let hasLeft = leave(memory.departed, memory: &memory, out: &out)
        memory.departed = PubNubNames()
        if memory.isIdle {
            finish(afterLeave: hasLeft, out: &out)
        } else if memory.needsTimeProbe || memory.wanted.isEmpty {
            reach(memory: &memory, out: &out)
        } else {
            shakeHands(memory: &memory, out: &out)
        }
    }

    public mutating func received(
        _ inbound: Inbound, memory: inout PubNubMemory, out: inout SessionActions<PubNubSession>
    ) {
        switch step {
        case .shakingHands(inbound.id):
            subscribed(inbound.result, memory: &memory, out: &out) { session, cursor, messages, memory, out in
                session.confirmed(at: cursor, messages, memory: &memory, out: &out)
            }
        case .polling(let poll) where isAnswer(inbound.id, to: poll):
            if Self.isMalformed(inbound.result) {
                memory.malformedPolls += 1
            } else {
                memory.malformedPolls = 0
            }
            subscribed(inbound.result, memory: &memory, out: &out) { session, cursor, messages, memory, out in
                session.polled(cursor, messages, since: poll.since, memory: &memory, out: &out)
            }
        case .reaching(inbound.id):
            reached(inbound.result, memory: &memory, out: &out)
        default:
            // This answer belongs to a request other than a poll, or to a poll that was replaced. A late answer to a replaced poll is
            // ignored.
            if let call = calls.removeValue(forKey: inbound.id) { answered(call, inbound.result, memory: &memory, out: &out) }
        }
    }

    private typealias AnswerHandler = (
        inout PubNubSession, PubNubCursor, [PubNubMessage], inout PubNubMemory, inout Actions
    ) -> Void

    /// Handles the answer to a subscribe request. A failed request is reported and ends the attempt (rule PX-9).
    private mutating func subscribed(
        _ result: Result<PubNubAnswer, ConnectionFailure>, memory: inout PubNubMemory, out: inout Actions,
        _ handle: AnswerHandler
    ) {
        switch result {
        case .success(.subscribed(let cursor, let messages)): handle(&self, cursor, messages, &memory, &out)
        case .success(.partlyRead(let cursor, let messages, let count)):
            let before = memory.cursor
            handle(&self, cursor, messages, &memory, &out)
            out.emit(.unreadable(count: count, previous: before, current: memory.cursor))
        case .success(.problem(let problem)):
            if memory.settings.secretKey != nil, Self.isAboutTime(problem) {
                (memory.needsServiceTime, memory.needsTimeProbe) = (true, true)
            }
            fail(problem, out: &out)
        case .success(.other): fail(.malformed("The service's answer does not have the form of a subscribe answer."), out: &out)
        case .failure(let failure): fail(PubNubProblem(failure), out: &out)
        }
    }

    /// Whether the service refused a signed request because of its timestamp.
    private static func isAboutTime(_ problem: PubNubProblem) -> Bool {
        problem.failure.httpStatus == 400 && problem.information?.hasPrefix("Invalid Timestamp") ?? false
    }

    /// Whether the answer does not follow PubNub's protocol.
    private static func isMalformed(_ result: Result<PubNubAnswer, ConnectionFailure>) -> Bool {
        switch result {
        case .success(.problem(let problem)): problem.category == .malformedResponse
        case .failure(let failure): failure.category == .malformedResponse
        case .success: false
        }
    }

    mutating func fail(_ problem: PubNubProblem, out: inout Actions) {
        step = .idle
        out.emit(.problem(problem))
        out.fault(problem.told)
    }

    public mutating func timerFired(
        _ timer: SessionTimer, memory: inout PubNubMemory, out: inout SessionActions<PubNubSession>
    ) {
        switch timer {
        case Self.heartbeatTimer:
            heartbeatDue(memory: &memory, out: &out)
        case Self.testTimer:
            guard isTesting else { return }
            out.fault(ConnectionFailure(.timeout, "The service did not answer within \(out.timing.probe.inSeconds) s."))
        case Self.reachingTimer:
            if case .leaving = step { return out.finish() }
            guard case .reaching = step else { return }
            let limit = Self.reachingLimit(out.timing).inSeconds
            out.fault(
                ConnectionFailure(.timeout, "The service did not answer within \(limit) s. Check the network and the origin."))
        case Self.pauseTimer:
            if case .pausing = step { poll(memory: &memory, out: &out) }
        case Self.renewalTimer:
            renewalDue(memory: &memory, out: &out)
        default:
            return
        }
    }

    /// Rule PX-24.
    public mutating func closing(memory: inout PubNubMemory, out: inout SessionActions<PubNubSession>) {
        var names = memory.wanted
        names.add(memory.present)
        leave(names, memory: &memory, out: &out)
    }

    /// Handles the end of the connection. After a failure, the session keeps its position in the service's stream; after an intended end,
    /// it drops the position (rules PX-25, PX-26 and PX-33).
    public mutating func ended(
        _ failure: ConnectionFailure?, lastHeard: Moment?, memory: inout PubNubMemory,
        out: inout SessionActions<PubNubSession>
    ) {
        guard let failure else {
            memory.forgetPosition()
            return
        }
        if memory.lostAt == nil, isReady { memory.lostAt = lastHeard ?? out.now }
        if Self.isUnreachable(failure.category) { memory.needsTimeProbe = true }
        if !memory.options.restoresSubscription, Self.isNetwork(failure.category) { memory.forgetWishes() }
    }
}
