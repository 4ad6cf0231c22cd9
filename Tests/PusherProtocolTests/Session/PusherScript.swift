import ConnectionEngine
import PusherProtocol
import Testing

/// Drives a machine with a Pusher session by hand, and writes down what it does: frames, events, answers.
final class PusherScript {
    var machine: ConnectionMachine<PusherSession>
    private(set) var now = Moment.zero
    private(set) var attempt = AttemptID(0)
    private(set) var endpoint: WebSocketEndpoint?
    private var decoder = PusherFrameDecoder()
    private var frames: [String] = []
    private var notices: [String] = []
    private var replies: [String] = []
    private(set) var jobs: [(id: JobID, job: PusherAuthorizeJob)] = []
    private var timers: [(id: TimerID, at: Moment)] = []
    private var lastRequest: UInt64 = 0
    /// The attempts that were closed.
    private(set) var closed: [AttemptID] = []
    /// The timers that run.
    var running: [(id: TimerID, at: Moment)] { timers }

    init(timing: ConnectionTiming = .standard, maximumRetries: Int? = nil) {
        var policy = ConnectionPolicy(timing: timing, maximumRetries: maximumRetries)
        policy.overrides = PusherSession.policyOverrides
        machine = ConnectionMachine(
            policy: policy, memory: PusherMemory(key: "Key", host: "h", port: 443, usesTLS: true), seed: 7)
    }

    /// A connection that is confirmed, with these channels asked for.
    static func connected(_ channels: String..., timing: ConnectionTiming = .standard) -> PusherScript {
        let script = PusherScript(timing: timing)
        for channel in channels { script.subscribe(channel) }
        script.connect()
        return script
    }

    func handle(_ input: Input<PusherSession>) {
        var effects: [Effect<PusherSession>] = []
        machine.handle(input, at: now, into: &effects)
        for effect in effects { note(effect) }
    }

    private func note(_ effect: Effect<PusherSession>) {
        switch effect {
        case .open(let id, let target): (attempt, endpoint) = (id, target)
        case .send(_, .text(let text)): frames.append(text)
        case .send(_, .ping(let payload)): frames.append("ping " + String(decoding: payload, as: UTF8.self))
        case .send(_, .binary): frames.append("binary")
        case .run(_, let id, let job): jobs.append((id, job))
        case .cancelJobs: jobs = []
        case .startTimer(let id, let after):
            timers.removeAll { $0.id.kind == id.kind }
            timers.append((id, now + after))
        case .cancelTimer(let id): timers.removeAll { $0.id == id }
        case .deliver(let event): notices.append(Self.text(event))
        case .announce(let change): notices.append("<\(change.phase)>")
        case .answer(let id, .success(let reply)): replies.append("\(id.value) \(reply)")
        case .answer(let id, .failure(let failure)): replies.append("\(id.value) failed \(failure.category)")
        case .close(let id, _): closed.append(id)
        }
    }

    // What users do.
    @discardableResult
    func perform(_ command: PusherCommand) -> RequestID {
        lastRequest += 1
        handle(.perform(command, RequestID(lastRequest)))
        return RequestID(lastRequest)
    }

    func subscribe(_ channel: String, _ authorization: PusherAuthorization? = nil) {
        handle(.perform(.subscribe(PusherSubscription(channel: channel, authorization: authorization)), nil))
    }

    func unsubscribe(_ channel: String) { handle(.perform(.unsubscribe(channel: channel), nil)) }

    // What the network does.
    func connect(socketID: String = "1.1", timeout: String = "120") {
        handle(.connect(within: nil))
        open(socketID: socketID, timeout: timeout)
    }

    func open(socketID: String = "1.1", timeout: String = "120") {
        handle(.opened(attempt))
        greet(socketID: socketID, timeout: timeout)
    }

    func greet(socketID: String = "1.1", timeout: String = "120") {
        receive(
            #"{"event":"pusher:connection_established","data":"{\"socket_id\":\"\#(socketID)\",\"activity_timeout\":\#(timeout)}"}"#
        )
    }

    func receive(_ text: String) {
        var text = text
        let inbound = text.withUTF8 { decoder.text(UnsafeRawBufferPointer($0)) }
        if let inbound { handle(.received(attempt, inbound)) }
    }

    func receive(_ bytes: [UInt8]) { receive(String(decoding: bytes, as: UTF8.self)) }

    func confirm(_ channel: String) { receive(PusherFrames.subscriptionSucceeded(channel: channel)) }

    func pong(_ payload: String) { handle(.received(attempt, .pong(Array(payload.utf8)))) }

    func close(_ code: Int?) {
        handle(.closed(attempt, ConnectionFailure(.unexpectedDisconnect, "Closed.", closeCode: code)))
    }

    /// Loses the link, and connects again as soon as the machine wants to.
    func reconnect(socketID: String = "2.2") {
        close(nil)
        handle(.connect(within: nil))
        open(socketID: socketID)
    }

    /// Answers the oldest running job.
    func authorize(_ result: Result<PusherAuthorization, ConnectionFailure>) {
        guard !jobs.isEmpty else {
            Issue.record("no job is running")
            return
        }
        let (id, _) = jobs.removeFirst()
        handle(.finished(attempt, id, result))
    }

    /// Moves the clock, and fires what is due on the way.
    func advance(_ duration: Duration) {
        let end = now + duration
        while let next = timers.filter({ $0.at <= end }).min(by: { $0.at < $1.at }) {
            now = max(now, next.at)
            timers.removeAll { $0.id == next.id }
            handle(.timerFired(next.id))
        }
        now = end
    }

    /// What was sent, told and answered since the last look.
    func sent() -> [String] { defer { frames = [] }; return frames }
    func told() -> [String] { defer { notices = [] }; return notices }
    func answers() -> [String] { defer { replies = [] }; return replies }
    func forget() { (frames, notices, replies) = ([], [], []) }

    static func text(_ event: PusherSessionEvent) -> String {
        switch event {
        case .established(let id): "established \(id)"
        case .subscribed(let it):
            "subscribed \(it.channel)" + (it.isRenewal ? " again" : "")
                + (it.members.isEmpty ? "" : " " + it.members.map(\.userID).joined(separator: ","))
                + (it.myID.map { " me=\($0)" } ?? "")
        case .subscriptionFailed(let channel, let failure, let body, let willRetry):
            "failed \(channel) \(failure.category)" + (failure.httpStatus.map { " \($0)" } ?? "")
                + (body.map { " \($0)" } ?? "") + (willRetry ? " retry" : "")
        case .unsubscribed(let channel): "unsubscribed \(channel)"
        case .message(let it):
            "message \(it.channel ?? "-") \(it.event) \(it.data ?? "-")" + (it.userID.map { " by \($0)" } ?? "")
        case .memberAdded(let channel, let member): "joined \(channel) \(member.userID) \(member.infoJSON ?? "-")"
        case .memberRemoved(let channel, let member): "left \(channel) \(member.userID) \(member.infoJSON ?? "-")"
        case .subscriptionCount(let channel, let count): "count \(channel) \(count)"
        case .cacheMissed(let channel): "cache missed \(channel)"
        case .signedIn(let user): "signed in \(user.id)"
        case .signInFailed(let failure, let body, let willRetry):
            "sign-in failed \(failure.category)" + (failure.httpStatus.map { " \($0)" } ?? "") + (body.map { " \($0)" } ?? "")
                + (willRetry ? " retry" : "")
        case .watchlist(let changes):
            "watchlist " + changes.map { $0.name + " " + $0.userIDs.joined(separator: ",") }.joined(separator: " | ")
        case .serverError(let code, let message): "error \(code.map(String.init) ?? "-") \(message)"
        case .decryptionFailed(let channel, let event, _): "undecryptable \(channel) \(event)"
        case .gap(let channel, let since): "gap \(channel) \(since.seconds)"
        case .malformed: "malformed"
        case .frame(let text): "frame \(text)"
        case .pinged: "pinged"
        case .ponged: "ponged"
        }
    }
}
