import ConnectionEngine
import Identifiers
import PubNubProtocol
import Testing

/// Drives a machine with a PubNub session by hand, and writes down what it does: requests, events, answers.
final class PubNubScript {
    var machine: ConnectionMachine<PubNubSession>
    private(set) var now = Moment(nanoseconds: 1_000_000_000)
    private(set) var attempt = AttemptID(0)
    /// The latest poll, and the calls that are not answered, oldest first.
    private(set) var poll: HTTPExchange?
    private(set) var calls: [HTTPExchange] = []
    private var requests: [String] = []
    private var notices: [String] = []
    private var replies: [String] = []
    private var timers: [(id: TimerID, at: Moment)] = []
    private var lastRequest: UInt64 = 0

    static let settings = PubNubSettings(
        endpoint: HTTPEndpoint(host: "h", port: 443, usesTLS: true), publishKey: "pub", subscribeKey: "sub", userID: "me",
        sdk: "Test/1")

    convenience init(_ options: PubNubOptions = PubNubOptions(), base: ConnectionPolicy = .standard) {
        self.init(memory: PubNubMemory(settings: Self.settings, options: options, seed: 1), base: base)
    }

    init(memory: PubNubMemory, base: ConnectionPolicy = .standard) {
        machine = ConnectionMachine(policy: PubNubSession.policy(base, options: memory.options), memory: memory, seed: 7)
    }

    /// A connection that is confirmed at 100, region 1, with these channels, and everything so far forgotten.
    static func connected(
        _ channels: String..., options: PubNubOptions = PubNubOptions(), base: ConnectionPolicy = .standard
    ) -> PubNubScript {
        let script = PubNubScript(options, base: base)
        script.subscribe(channels)
        script.connect()
        script.answer(100)
        script.forget()
        return script
    }

    func handle(_ input: Input<PubNubSession>) {
        var effects: [Effect<PubNubSession>] = []
        machine.handle(input, at: now, into: &effects)
        for effect in effects { note(effect) }
    }

    private func note(_ effect: Effect<PubNubSession>) {
        switch effect {
        case .open(let id, _): (attempt, poll, calls) = (id, nil, [])
        case .send(_, .poll(let exchange)):
            poll = exchange
            requests.append(RequestText(exchange).text)
        case .send(_, .renewPoll(let exchange)):
            poll = exchange
            requests.append("again " + RequestText(exchange).text)
        case .send(_, .call(let exchange)):
            calls.append(exchange)
            requests.append(RequestText(exchange).text)
        case .send(_, .cancelPoll):
            poll = nil
            requests.append("cancel poll")
        case .startTimer(let id, let after):
            timers.removeAll { $0.id.kind == id.kind }
            timers.append((id, now + after))
        case .cancelTimer(let id): timers.removeAll { $0.id == id }
        case .deliver(let event): notices.append(Self.text(event))
        case .announce(let change): notices.append("<\(change.phase)>")
        case .answer(let id, .success(let reply)): replies.append("\(id.value) \(reply)")
        case .answer(let id, .failure(let failure)): replies.append("\(id.value) failed \(failure.category)")
        case .run, .cancelJobs, .close: break
        }
    }

    // What users do.
    func perform(_ command: PubNubCommand) {
        lastRequest += 1
        handle(.perform(command, RequestID(lastRequest)))
    }

    func subscribe(
        _ channels: [String] = [], groups: [String] = [], at timetoken: UInt64? = nil, state: [Identifier: String] = [:]
    ) {
        perform(
            .subscribe(
                PubNubList(channels: channels, groups: groups), timetoken: timetoken.map { Timetoken(rawValue: $0) },
                state: state))
    }

    func unsubscribe(_ channels: String..., groups: [String] = []) {
        perform(.unsubscribe(PubNubList(channels: channels, groups: groups)))
    }

    // What the network does.
    func connect() {
        handle(.connect(within: nil))
        open()
    }

    func open() { handle(.opened(attempt)) }

    /// Answers the outstanding poll, or the one given.
    func answer(_ timetoken: UInt64, region: Int? = 1, _ messages: [PubNubMessage] = [], to exchange: HTTPExchange? = nil) {
        let cursor = PubNubCursor(timetoken: Timetoken(rawValue: timetoken), region: region)
        answer(exchange ?? poll, .success(.subscribed(cursor, messages)))
    }

    func refuse(_ problem: PubNubProblem) { answer(poll, .success(.problem(problem))) }

    func refuse(_ category: StatusCategory, status: Int? = nil, channels: [String] = []) {
        refuse(
            PubNubProblem(
                ConnectionFailure(category, "Refused.", origin: .server, httpStatus: status), channels: channels))
    }

    /// The outstanding poll breaks.
    func lose(_ category: StatusCategory = .unexpectedDisconnect) {
        answer(poll, .failure(ConnectionFailure(category, "Lost.")))
    }

    func answer(_ exchange: HTTPExchange?, _ result: Result<PubNubAnswer, ConnectionFailure>) {
        guard let exchange else {
            Issue.record("nothing is asked for")
            return
        }
        handle(.received(attempt, LongPollInbound(id: exchange.id, result: result)))
    }

    /// Answers the oldest call; a good answer unless another is given.
    func answerCall(_ result: Result<PubNubAnswer, ConnectionFailure> = .success(.other(body: Array("[1]".utf8)))) {
        guard !calls.isEmpty else {
            Issue.record("no call is under way")
            return
        }
        answer(calls.removeFirst(), result)
    }

    /// Waits for the next attempt and opens it.
    func reopen() {
        let old = attempt
        for _ in 0..<100 where attempt == old { advanceToNext() }
        open()
    }

    private func advanceToNext() {
        guard let next = timers.map(\.at).min() else { return }
        advance(next.duration(since: now))
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

    /// What was asked for, told and answered since the last look.
    func sent() -> [String] { defer { requests = [] }; return requests }
    func told() -> [String] { defer { notices = [] }; return notices }
    func answers() -> [String] { defer { replies = [] }; return replies }
    func forget() { (requests, notices, replies) = ([], [], []) }

    static func message(_ channel: String, _ timetoken: UInt64, _ payload: String = "1") -> PubNubMessage {
        PubNubMessage(channel: channel, timetoken: Timetoken(rawValue: timetoken), region: 1, payload: payload)
    }

    static func messages(_ channel: String, _ timetokens: ClosedRange<UInt64>) -> [PubNubMessage] {
        timetokens.map { message(channel, $0) }
    }

    static func text(_ list: PubNubList) -> String { (list.channels + list.groups.map { ":" + $0 }).joined(separator: ",") }

    static func text(_ cursor: PubNubCursor) -> String { "\(cursor.timetoken)" + (cursor.region.map { "/\($0)" } ?? "") }

    static func text(_ event: PubNubSessionEvent) -> String {
        switch event {
        case .subscribed(let list, let previous, let current, let isRenewal):
            "subscribed \(text(list)) \(text(previous))->\(text(current))" + (isRenewal ? " again" : "")
        case .unsubscribed(let list, let remaining): "unsubscribed \(text(list)) left \(text(remaining))"
        case .messages(let batch):
            "messages " + batch.messages.prefix(6).map { "\($0.channel)@\($0.timetoken)" }.joined(separator: " ")
                + (batch.messages.count > 6 ? " (\(batch.messages.count))" : "")
        case .messageCountExceeded(let count, let previous, let current):
            "exceeded \(count) \(text(previous))->\(text(current))"
        case .unreadable(let count, let previous, let current): "unreadable \(count) \(text(previous))->\(text(current))"
        case .gap(let list, let since, let after): "gap \(text(list)) since \(Int(since.seconds)) after \(after)"
        case .problem(let problem):
            "problem \(problem.category)" + (problem.channels.isEmpty ? "" : " " + problem.channels.joined(separator: ","))
        case .heartbeat(let problem): "heartbeat" + (problem.map { " \($0.category)" } ?? "")
        case .leaveFailed(let problem): "leave failed \(problem.category)"
        }
    }
}

/// A request as a short text: what it is, for whom, and what else it says.
struct RequestText {
    let text: String

    init(_ exchange: HTTPExchange) {
        let halves = exchange.target.split(separator: "?", maxSplits: 1).map(String.init)
        let path = halves[0].split(separator: "/").map { $0.removingPercentEncoding }
        var query: [String: String] = [:]
        for pair in halves[1].split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            query[parts[0]] = parts[1].removingPercentEncoding
        }
        let groups = (query["channel-group"] ?? "").split(separator: ",").map { ":" + $0 }
        func names(_ part: String) -> String { (part.split(separator: ",").map(String.init) + groups).joined(separator: ",") }
        var text: String
        switch (path.first, path.last) {
        case ("time", _): text = "time"
        case ("v2", "heartbeat"): text = "heartbeat \(names(path[5]))"
        case ("v2", "leave"): text = "leave \(names(path[5]))"
        default:
            let region = query["tr"].map { "/\($0)" } ?? ""
            text = query["tt"] == "0" ? "handshake \(names(path[3]))" : "poll \(names(path[3])) \(query["tt"] ?? "")\(region)"
        }
        for name in ["filter-expr", "heartbeat", "state", "auth"] {
            if let value = query[name] { text += " \(name)=\(value)" }
        }
        self.text = text
    }
}

extension Substring {
    /// The text that percent-encoding stands for.
    fileprivate var removingPercentEncoding: String { String(self).removingPercentEncoding }
}

extension String {
    fileprivate var removingPercentEncoding: String {
        var bytes: [UInt8] = []
        var rest = utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%"), let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
                bytes.append(byte)
                continue
            }
            bytes.append(code)
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
