import ChatProtocol
import ConnectionEngine
import Testing
import WireCoding

/// Drives a machine with a chat session by hand, and writes down what it does: frames, events, answers.
final class ChatSessionScript {
    var machine: ConnectionMachine<ChatSession>
    private(set) var now = Moment.zero
    private(set) var attempt = AttemptID(0)
    private(set) var endpoint: WebSocketEndpoint?
    private(set) var changes: [ConnectionChange] = []
    private(set) var failures: [UInt64: ConnectionFailure] = [:]
    private var decoder = ChatFrameDecoder()
    private var frames: [String] = []
    private var notices: [String] = []
    private var replies: [String] = []
    private var timers: [(id: TimerID, at: Moment)] = []
    private var lastRequest: UInt64 = 0

    init(
        policy: ConnectionPolicy = .chat(timing: .fast), yields: Bool = false, resume: ChatPlace? = nil,
        sendLimit: Duration = .seconds(30)
    ) {
        let memory = ChatMemory(
            host: "h", port: 1, usesTLS: true, appKey: "key", token: "token", device: ChatDevice(id: "d", system: "Linux"),
            yields: yields, resume: resume, sendLimit: sendLimit)
        machine = ConnectionMachine(policy: policy, memory: memory, seed: 7)
    }

    /// A session that is welcomed and caught up, with nothing noted yet.
    static func connected(resume: ChatPlace? = nil, policy: ConnectionPolicy = .chat(timing: .fast)) -> ChatSessionScript {
        let script = ChatSessionScript(policy: policy, resume: resume)
        script.connect()
        script.forget()
        return script
    }

    func handle(_ input: Input<ChatSession>) {
        var effects: [Effect<ChatSession>] = []
        machine.handle(input, at: now, into: &effects)
        for effect in effects { note(effect) }
    }

    func handle(_ inputs: [Input<ChatSession>]) {
        for input in inputs { handle(input) }
    }

    private func note(_ effect: Effect<ChatSession>) {
        switch effect {
        case .open(let id, let target): (attempt, endpoint) = (id, target)
        case .send(_, .text(let text)): frames.append(Self.summary(text))
        case .send(_, .ping(let payload)): frames.append("ping " + String(decoding: payload, as: UTF8.self))
        case .send(_, .binary): frames.append("binary")
        case .startTimer(let id, let after):
            timers.removeAll { $0.id.kind == id.kind }
            timers.append((id, now + after))
        case .cancelTimer(let id): timers.removeAll { $0.id == id }
        case .deliver(let event): notices.append(Self.text(event))
        case .announce(let change):
            changes.append(change)
            notices.append("<\(change.phase)>")
        case .answer(let id, .success(let reply)): replies.append("\(id.value) \(Self.text(reply))")
        case .answer(let id, .failure(let failure)):
            failures[id.value] = failure
            replies.append("\(id.value) \(failure.category) \(ChatErrorCode(failure))")
        case .close, .run, .cancelJobs: break
        }
    }

    // What users do.
    @discardableResult
    func perform(_ command: ChatCommand) -> UInt64 {
        lastRequest += 1
        handle(.perform(command, RequestID(lastRequest)))
        return lastRequest
    }

    func submit(_ command: ChatCommand) { handle(.perform(command, nil)) }

    @discardableResult
    func send(_ clientID: String, to: String = "bob", content: String = "{}") -> UInt64 {
        perform(.send(Self.draft(clientID, to: to, content: content)))
    }

    static func draft(_ clientID: String, to: String = "bob", content: String = "{}") -> ChatMessageDraft {
        ChatMessageDraft(clientID: clientID, conversation: .direct, to: to, type: "RC:TxtMsg", content: Array(content.utf8))
    }

    func acknowledge(_ sequence: UInt64, epoch: String = "e") {
        submit(.acknowledge(ChatPlace(epoch: epoch, sequence: sequence)))
    }

    // What the network does.
    /// Asks for a connection, opens it, and is welcomed with nothing missed.
    func connect(q: UInt64 = 0, epoch: String = "e", lost: Bool = false) {
        handle(.connect(within: nil))
        open(q: q, epoch: epoch, lost: lost)
    }

    func open(q: UInt64 = 0, epoch: String = "e", lost: Bool = false) {
        handle(.opened(attempt))
        welcome(q: q, epoch: epoch, lost: lost)
        receive(ChatServerFrames.package([], hasMore: false))
    }

    func welcome(q: UInt64 = 0, epoch: String = "e", lost: Bool = false, heartbeat: Int = 30_000, time: Int64 = 0) {
        receive(
            ChatServerFrames.welcome(
                ChatWelcome(
                    user: "ann", session: "s", time: time, place: ChatPlace(epoch: epoch, sequence: q),
                    isResumed: !lost, hasLost: lost, heartbeat: heartbeat)))
    }

    func receive(_ bytes: [UInt8]) {
        guard let inbound = bytes.withUnsafeBytes({ decoder.text($0) }) else { return }
        handle(.received(attempt, inbound))
    }

    func receive(_ text: String) { receive(Array(text.utf8)) }

    func ok(_ number: UInt64, id: UInt64) {
        receive(ChatServerFrames.ok(number, .sent(ChatMessageID(rawValue: id))))
    }

    func no(_ number: UInt64, _ code: Int, retryAfter: Int? = nil) {
        receive(ChatServerFrames.no(number, ChatRequestRefusal(ChatErrorCode(code), "No.", retryAfter: retryAfter)))
    }

    func bye(_ code: Int, retry: Bool = false, after: Int? = nil) {
        receive(ChatServerFrames.bye(ChatBye(code: ChatErrorCode(code), reason: "Bye.", mayRetry: retry, after: after)))
    }

    static func message(_ id: UInt64, to: String = "room", conversation: ChatConversationKind = .open) -> ChatMessage {
        ChatMessage(
            id: ChatMessageID(rawValue: id), conversation: conversation, from: "bob", to: to, type: "RC:TxtMsg",
            content: Array("{}".utf8))
    }

    func event(_ sequence: UInt64) {
        receive(ChatServerFrames.event(Self.inboxBody(sequence), sequence: sequence))
    }

    static func inboxBody(_ sequence: UInt64) -> [UInt8] {
        ChatWireEvent.message(message(sequence, to: "ann", conversation: .direct)).body
    }

    func package(_ sequences: [UInt64], more: Bool) {
        receive(ChatServerFrames.package(sequences.map { ($0, Self.inboxBody($0)) }, hasMore: more))
    }

    func openMessage(_ id: UInt64, in channel: String = "room") {
        receive(ChatServerFrames.transient(ChatWireEvent.message(Self.message(id, to: channel)).body))
    }

    /// Answers a request to enter.
    func entered(
        _ number: UInt64, messages: [UInt64] = [], more: Bool = false, entered: Int64 = 0, channel: String = "room",
        left: [String] = []
    ) {
        let entrance = ChatOpenEntrance(channel: channel, created: 1, count: 1, entered: entered, hasMore: more, left: left)
        let bodies = messages.map { ChatWireEvent.message(Self.message($0, to: channel)).body }
        receive(ChatServerFrames.ok(number, .entrance(entrance, messages: bodies)))
    }

    func close(_ code: Int?) {
        handle(.closed(attempt, ConnectionFailure(.unexpectedDisconnect, "Closed.", closeCode: code)))
    }

    /// Loses the link, and connects again as soon as the machine wants to.
    func reconnect(q: UInt64 = 0, epoch: String = "e", lost: Bool = false) {
        close(nil)
        handle(.connect(within: nil))
        open(q: q, epoch: epoch, lost: lost)
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

    /// A frame in a few words.
    private static func summary(_ frame: String) -> String {
        guard let json = try? JSONText(frame), let type = json["t"]?.string else { return "not a frame: \(frame)" }
        let number = json["n"]?.integer.map { " \($0)" } ?? ""
        switch type {
        case "hello":
            let resume = json["resume"].map { "\($0["epoch"]?.string ?? "?")/\($0["q"]?.integer ?? -1)" } ?? "-"
            return "hello \(json["token"]?.string ?? "-") \(resume)" + (json["reconnect"]?.bool == true ? " again" : "")
                + (json["yields"]?.bool == true ? " yielding" : "")
        case "send": return "send\(number) \(json["cid"]?.string ?? "-")"
        case "ack": return "ack \(json["q"]?.integer ?? -1)"
        case "leave": return "leave" + (json["disablePush"]?.bool == true ? " for good" : "")
        case "open.enter":
            return "enter\(number) \(json["ch"]?.string ?? "-") \(json["count"]?.integer ?? -1)"
                + (json["after"]?.string.map { " after \($0)" } ?? "")
        case "open.exit": return "exit\(number) \(json["ch"]?.string ?? "-")"
        default: return type + number
        }
    }

    static func text(_ reply: ChatReply) -> String {
        switch reply {
        case .sent(let sent): "sent \(sent.clientID) as \(sent.id)"
        case .answer(let answer): "answer \(String(decoding: answer.json, as: UTF8.self))"
        case .entered(let entrance): "entered \(entrance.channel)" + entrance.messages.map { " \($0.id)" }.joined()
        case .done: "done"
        }
    }

    static func text(_ event: ChatSessionEvent) -> String {
        switch event {
        case .welcomed(let welcome): "welcome \(welcome.user)"
        case .received(let items, let isOffline, let hasMore):
            (isOffline ? "package" : "event") + items.map { " \($0.sequence)" }.joined() + (hasMore ? " and more" : "")
        case .caughtUp: "caught up"
        case .transient(.message(let message)): "message \(message.to) \(message.id)"
        case .transient(let event): "transient \(event.kind)"
        case .gap(let since): "gap \(since.map { "\($0.seconds)" } ?? "-")"
        case .openGap(let channel, let since): "gap of \(channel) \(since.map { "\($0.seconds)" } ?? "-")"
        case .reentered(let entrance): "again in \(entrance.channel)" + entrance.messages.map { " \($0.id)" }.joined()
        case .entryFailed(let channel, let refusal): "not in \(channel) \(refusal.code)"
        case .malformed: "malformed"
        }
    }
}
