import ConnectionEngine
import EngineTesting
import Identifiers
import PubNubProtocol

/// How a simulated client is configured.
protocol PubNubVariant {
    static var options: PubNubOptions { get }
}

/// A model PubNub service with its users, for the simulator.
///
/// Nothing is lost, doubled or reordered without a gap; nothing comes that nobody wants; while connected a poll is outstanding or
/// soon will be; heartbeats keep their time.
struct PubNubModelService<Variant: PubNubVariant>: SimulatedService {
    typealias Session = PubNubSession
    typealias Answer = LongPollInbound<PubNubAnswer>

    private(set) var server = PubNubModelServer(lifetime: Variant.options.streamLifetime + .seconds(5))
    private(set) var reader = PubNubModelReader()
    private var now = Moment.zero
    private var phase = ConnectionPhase.idle
    /// The poll that the client waits for, until it is answered.
    private var outstanding: UInt64?
    /// Since when the client has no poll that is still to be answered.
    private var idleSince: Moment?
    private var lastHeartbeat: Moment?
    private var problem: String?
    private(set) var heartbeats = 0
    private(set) var renewals = 0

    static var memory: PubNubMemory {
        PubNubMemory(
            settings: PubNubSettings(
                endpoint: HTTPEndpoint(host: "h", port: 80, usesTLS: false), publishKey: "p", subscribeKey: "s", userID: "u",
                sdk: "Test/1"),
            options: Variant.options, seed: 1)
    }

    static var policy: ConnectionPolicy { PubNubSession.policy(.fast, options: Variant.options, seed: 3) }

    // MARK: Time

    mutating func timePasses(to now: Moment) throws(Violation) {
        self.now = now
        server.timePasses(to: now)
        if let problem { throw Violation(problem) }
        // An answer that a half-open link swallows is missed when the silence is tested.
        guard phase == .connected, outstanding == nil, !reader.wanted.isEmpty else {
            idleSince = nil
            return
        }
        let since = idleSince ?? now
        idleSince = since
        if now.duration(since: since) > .seconds(5) { throw Violation("Connected, and nothing is asked for.") }
    }

    // MARK: The server's side

    mutating func linkOpened(_ random: inout SeededRandom) -> [SimulatedReaction<Answer>] { [] }

    mutating func linkLost() {
        server.linkLost()
        outstanding = nil
        lastHeartbeat = nil
    }

    mutating func clientSends(_ outbound: LongPollOutbound) {
        switch outbound {
        case .poll(let exchange):
            outstanding = exchange.id
        case .renewPoll(let exchange):
            renewals += 1
            outstanding = exchange.id
        case .cancelPoll:
            outstanding = nil
        case .call(let exchange):
            guard exchange.target.contains("/heartbeat?") else { return }
            heartbeats += 1
            if let lastHeartbeat, !Variant.options.managesPresenceManually {
                let spacing = now.duration(since: lastHeartbeat)
                // Only while nothing is there to speak for may beats be skipped, and then whole ones.
                let beats = (spacing.inSeconds / Double(Variant.options.heartbeatInterval)).rounded()
                if abs(spacing.inSeconds - beats * Double(Variant.options.heartbeatInterval)) > 0.1 * max(beats, 1) {
                    problem = "A heartbeat came \(spacing.inSeconds) s after the one before."
                }
            }
            lastHeartbeat = now
        }
    }

    mutating func received(_ outbound: LongPollOutbound, _ random: inout SeededRandom) -> [SimulatedReaction<Answer>] {
        switch outbound {
        case .cancelPoll: return []
        // An answer that is on its way to the old number arrives as well: then it had begun.
        case .poll(let exchange), .renewPoll(let exchange): return answering(poll(exchange, &random))
        case .call(let exchange): return [.deliver(Answer(id: exchange.id, result: call(&random)))]
        }
    }

    /// Notes what is answered.
    private mutating func answering(_ reactions: [SimulatedReaction<Answer>]) -> [SimulatedReaction<Answer>] {
        for case .deliver(let answer) in reactions where answer.id == outstanding { outstanding = nil }
        return reactions
    }

    private func call(_ random: inout SeededRandom) -> Result<PubNubAnswer, ConnectionFailure> {
        switch Int.random(in: 0..<60, using: &random) {
        case 0: .success(.problem(PubNubProblem(ConnectionFailure(.accessDenied, "No.", origin: .server, httpStatus: 403))))
        case 1: .failure(ConnectionFailure(.timeout, "Too late."))
        case 2: .failure(ConnectionFailure(.unexpectedDisconnect, "Cut."))
        default: .success(.other(body: Array("[1]".utf8)))
        }
    }

    private mutating func poll(_ exchange: HTTPExchange, _ random: inout SeededRandom) -> [SimulatedReaction<Answer>] {
        guard let poll = PubNubModelServer.Poll(exchange) else {
            problem = "No subscription: \(exchange.target)"
            return []
        }
        switch Int.random(in: 0..<200, using: &random) {
        case 0: return fail(exchange.id, ConnectionFailure(.accessDenied, "No.", origin: .server, httpStatus: 403), true)
        case 1: return fail(exchange.id, ConnectionFailure(.unknown, "Broken.", origin: .server, httpStatus: 500), true)
        case 2: return fail(exchange.id, ConnectionFailure(.malformedFilter, "What?", httpStatus: 481), true)
        case 3: return fail(exchange.id, ConnectionFailure(.malformedResponse, "HTML"), true)
        case 4: return fail(exchange.id, ConnectionFailure(.networkUnavailable, "Refused.", errno: 111), false)
        default: break
        }
        let answer = server.ask(poll, &random)
        // An answer that is lost on the way, and noticed.
        if answer != nil, Int.random(in: 0..<50, using: &random) == 0 {
            let category: StatusCategory = Bool.random(using: &random) ? .unexpectedDisconnect : .timeout
            return fail(exchange.id, ConnectionFailure(category, "Lost."), false)
        }
        return answer.map { [.deliver(disturbed($0, of: poll, &random))] } ?? []
    }

    private func fail(_ id: UInt64, _ failure: ConnectionFailure, _ isAnswer: Bool) -> [SimulatedReaction<Answer>] {
        [.deliver(Answer(id: id, result: isAnswer ? .success(.problem(PubNubProblem(failure))) : .failure(failure)))]
    }

    /// Repeats messages, and says wrong positions.
    private func disturbed(
        _ answer: Answer, of poll: PubNubModelServer.Poll, _ random: inout SeededRandom
    ) -> Answer {
        guard poll.timetoken > 0, case .success(.subscribed(var cursor, var messages)) = answer.result else { return answer }
        if Int.random(in: 0..<10, using: &random) == 0 {
            let names = PubNubModelServer.channels(of: poll.channels, poll.groups)
            messages = reader.recent.filter { names.contains($0.channel) } + messages
        }
        if poll.region == cursor.region {
            switch Int.random(in: 0..<40, using: &random) {
            case 0: cursor = PubNubCursor(timetoken: .zero, region: cursor.region)
            case 1: cursor.timetoken = Timetoken(rawValue: UInt64.random(in: 1...poll.timetoken, using: &random))
            case 2: cursor.region = nil
            default: break
            }
        }
        return Answer(id: answer.id, result: .success(.subscribed(cursor, messages)))
    }

    mutating func somethingHappens(_ random: inout SeededRandom) -> [SimulatedReaction<Answer>] {
        switch Int.random(in: 0..<200, using: &random) {
        case 0..<3:
            // The last messages reach nobody. The polls are cut, or the transport asks again without a word.
            for _ in 0..<Int.random(in: 0...3, using: &random) { publish(&random) }
            server.restart(forgetting: Bool.random(using: &random), &random)
            let held = server.takeHeld()
            if Bool.random(using: &random) {
                return answering(
                    held.flatMap { fail($0.id, ConnectionFailure(.unexpectedDisconnect, "Restart."), false) })
            }
            return answering(held.compactMap { poll in server.ask(poll, &random).map { .deliver($0) } })
        case 3..<13:
            return answering(server.release().map { .deliver($0) })
        case 13:
            for _ in 0..<Int.random(in: 90...160, using: &random) { publish(&random) }
        default:
            for _ in 0..<Int.random(in: 1...3, using: &random) { publish(&random) }
        }
        // Now and then messages wait a little for others.
        if Int.random(in: 0..<5, using: &random) == 0 { return [] }
        return answering(server.wake().map { .deliver($0) })
    }

    private mutating func publish(_ random: inout SeededRandom) {
        let channel = PubNubModelServer.channels.randomElement(using: &random) ?? "a"
        server.publish(channel, isRed: Bool.random(using: &random), &random)
    }

    mutating func outcome(of job: Never, _ random: inout SeededRandom) -> Result<Never, ConnectionFailure> {}

    // MARK: Users

    mutating func command(_ random: inout SeededRandom) -> PubNubCommand {
        let names = ["a", "b", "c", ":g"].filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
        switch Int.random(in: 0..<40, using: &random) {
        case 0..<18:
            let recent = server.history.suffix(50).filter { $0.epoch == server.epoch }
            let start = Int.random(in: 0..<6, using: &random) == 0 ? recent.randomElement(using: &random)?.timetoken : nil
            reader.want(Set(names), from: start)
            return .subscribe(
                PubNubModelReader.list(names), timetoken: start.map { Timetoken(rawValue: $0) },
                state: Bool.random(using: &random) ? Dictionary(uniqueKeysWithValues: names.map { (Identifier($0), "{}") }) : [:])
        case 18..<24:
            reader.forget(Set(names))
            return .unsubscribe(PubNubModelReader.list(names))
        case 24:
            reader.forget(reader.wanted)
            return .unsubscribeAll
        case 25..<30: return .setFilter(Bool.random(using: &random) ? "red" : nil)
        case 30..<33: return .setAuth(Bool.random(using: &random) ? "k" : nil)
        case 33..<36: return .setState(Bool.random(using: &random) ? "{}" : nil, of: "a")
        default: return .setPresent(Bool.random(using: &random), PubNubModelReader.list(names))
        }
    }

    mutating func observe(_ event: PubNubSessionEvent) throws(Violation) {
        if let problem { throw Violation(problem) }
        guard phase == .connected || !Self.needsConnection(event) else { throw Violation("\(event) in phase \(phase).") }
        switch event {
        case .subscribed(let list, _, let current, _): try reader.subscribed(list, at: current, server)
        case .unsubscribed(let list, _): reader.unsubscribed(list)
        case .gap(let list, let since, _):
            guard since <= now else { throw Violation("A gap that begins in the future.") }
            try reader.gap(list)
        case .messages(let batch): try reader.received(batch, server)
        case .messageCountExceeded(let count, _, _):
            guard Variant.options.messageCountThreshold > 0, count >= Variant.options.messageCountThreshold else {
                throw Violation("\(count) messages are not too many.")
            }
        case .unreadable: throw Violation("Every element can be read.")
        case .problem, .heartbeat, .leaveFailed: return
        }
    }

    private static func needsConnection(_ event: PubNubSessionEvent) -> Bool {
        switch event {
        case .subscribed, .gap, .messages, .messageCountExceeded, .unreadable, .heartbeat: true
        case .unsubscribed, .problem, .leaveFailed: false
        }
    }

    mutating func observe(_ change: ConnectionChange) throws(Violation) {
        phase = change.phase
        switch change.phase {
        case .disconnecting, .disconnected:
            reader.stop(isForgotten: ![.waiting, .suspended].contains(change.previous))
        case .failed where !Variant.options.restoresSubscription && [.connecting, .connected].contains(change.previous):
            let categories: [StatusCategory] = [.networkUnavailable, .timeout, .unexpectedDisconnect, .proxyUnavailable]
            if categories.contains(change.category) { reader.clear() }
        default:
            return
        }
    }
}
