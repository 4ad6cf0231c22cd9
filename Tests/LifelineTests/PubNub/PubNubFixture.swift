import ConnectionEngine
import EngineTesting
import HTTPTransport
import NIOConcurrencyHelpers
import PubNubProtocol
import Testing

@testable import Lifeline

/// A PubNub client on a scripted long-poll, a manual clock and scripted HTTP.
struct PubNubFixture {
    let client: LifelineClient
    let transport = ScriptedTransport<PubNubSession>()
    let timers = ManualTimers()
    let http: ScriptedHTTP
    let service = ScriptedPubNub()

    init(
        cipherKey: String? = nil, filter: String? = nil, presence: Bool = true, http: ScriptedHTTP = .nobodyHere,
        tokens: TokenProvider? = nil, options: ClientOptions = ClientOptions(timing: .fast)
    ) {
        self.http = http
        let settings = PubNubAdapterSettings(
            host: ServiceHost("h", port: 80, tls: false),
            settings: PubNubSettings(
                endpoint: HTTPEndpoint(host: "h", port: 80, usesTLS: false), publishKey: "pub", subscribeKey: "sub",
                userID: "ann", sdk: "test"),
            cipher: cipherKey.map { PubNubCipher(key: $0) }, filter: filter, tracksPresence: presence,
            tokens: tokens)
        let adapter = PubNubAdapter.make(
            settings, options, transport: transport, http: http, timers: timers, seed: 1, unixSeconds: { 1_700_000_000 })
        client = LifelineClient(adapter: adapter, options: options)
        transport.onSend { [transport, service] outbound in
            guard let (id, answer) = service.answer(outbound) else { return }
            transport.report(.received([LongPollInbound(id: id, result: .success(answer))]))
        }
    }

    func connect() async throws {
        async let connected: Void = client.connect()
        while transport.dials == 0 { await Task.yield() }
        transport.report(.opened)
        try await connected
    }

    /// Publishes messages to whoever polls.
    func publish(_ messages: PubNubMessage...) { publish(messages) }

    func publish(_ messages: [PubNubMessage]) {
        client.settle()
        guard let (id, answer) = service.publish(messages) else { return }
        transport.report(.received([LongPollInbound(id: id, result: .success(answer))]))
        client.settle()
    }

    /// Loses the link by the failure of the outstanding poll, and opens the next attempt.
    func loseLink(beforeReturn body: () -> Void = {}) {
        client.settle()
        guard let id = service.takeHeld() else {
            Issue.record("No poll is held that could fail.")
            return
        }
        let failure = ConnectionFailure(.networkUnavailable, "Reset.")
        transport.report(.received([LongPollInbound(id: id, result: .failure(failure))]))
        body()
        dialAgain()
    }

    /// Lets time pass until the next dial, and opens it.
    func dialAgain() {
        let dials = transport.dials
        // The thread that performs the effects, in their order, may be another one, and still be at it.
        let limit = ContinuousClock.now + .seconds(60)
        while transport.dials == dials, ContinuousClock.now < limit { timers.advanceToNext() }
        transport.report(.opened)
        client.settle()
    }

    /// Disconnects, with a peer that takes note of the goodbye.
    func disconnect() async {
        async let disconnected: Void = client.disconnect()
        func hasGoodbye() -> Bool {
            transport.calls.contains { if case .close(_, .goodbye) = $0 { true } else { false } }
        }
        while !hasGoodbye() { await Task.yield() }
        transport.report(.closed(ConnectionFailure(.disconnected, "Closed.")))
        await disconnected
    }

    static func message(
        _ payload: String, _ timetoken: UInt64, in channel: String = "room", publisher: String? = "ben",
        customType: String? = nil, kind: PubNubMessageKind = .message
    ) -> PubNubMessage {
        PubNubMessage(
            channel: channel, kind: kind, publisher: publisher, timetoken: Timetoken(rawValue: timetoken), region: 1,
            payload: payload, customType: customType)
    }

    static func presence(_ event: PubNubPresenceEvent, _ timetoken: UInt64) -> PubNubMessage {
        PubNubMessage(
            channel: event.channel + "-pnpres", timetoken: Timetoken(rawValue: timetoken),
            payload: String(decoding: event.payload, as: UTF8.self))
    }
}

/// A PubNub service as a value behind a lock: a stream, one poll that is held, and what it was asked.
final class ScriptedPubNub: Sendable {
    private struct State {
        var held: UInt64?
        var position: UInt64 = 1000
        var messages: [PubNubMessage] = []
        var targets: [String] = []
        var refusal: PubNubProblem?
    }

    private let state = NIOLockedValueBox(State())

    var targets: [String] { state.withLockedValue { $0.targets } }

    /// Every handshake is answered like that; nil for good ones.
    func refuse(with problem: PubNubProblem?) { state.withLockedValue { $0.refusal = problem } }

    func takeHeld() -> UInt64? {
        state.withLockedValue { state in
            defer { state.held = nil }
            return state.held
        }
    }

    func answer(_ outbound: LongPollOutbound) -> (UInt64, PubNubAnswer)? {
        state.withLockedValue { state in
            switch outbound {
            case .cancelPoll:
                state.held = nil
                return nil
            case .call(let exchange):
                state.targets.append(exchange.target)
                return (exchange.id, .other(body: Array("[17]".utf8)))
            case .poll(let exchange), .renewPoll(let exchange):
                state.targets.append(exchange.target)
                guard let from = Self.timetoken(exchange.target) else { return nil }
                if from == 0 {
                    if let refusal = state.refusal { return (exchange.id, .problem(refusal)) }
                    return (exchange.id, .subscribed(Self.cursor(state.position), []))
                }
                state.held = exchange.id
                return Self.deliver(&state, after: from)
            }
        }
    }

    func publish(_ messages: [PubNubMessage]) -> (UInt64, PubNubAnswer)? {
        state.withLockedValue { state in
            let before = state.position
            state.messages += messages
            state.position = max(before, messages.last?.timetoken.rawValue ?? 0)
            return Self.deliver(&state, after: before)
        }
    }

    private static func deliver(_ state: inout State, after: UInt64) -> (UInt64, PubNubAnswer)? {
        let messages = state.messages.filter { $0.timetoken.rawValue > after }
        guard let held = state.held, !messages.isEmpty else { return nil }
        state.held = nil
        // The queue holds the latest hundred.
        return (held, .subscribed(cursor(state.position), messages.suffix(100)))
    }

    private static func cursor(_ position: UInt64) -> PubNubCursor {
        PubNubCursor(timetoken: Timetoken(rawValue: position), region: 1)
    }

    private static func timetoken(_ target: String) -> UInt64? {
        guard let query = target.split(separator: "?").last else { return nil }
        return query.split(separator: "&").first { $0.hasPrefix("tt=") }.flatMap { UInt64($0.dropFirst(3)) }
    }
}

extension ScriptedHTTP {
    static func json(status: Int = 200, _ body: @escaping @Sendable (HTTPCall) -> String) -> ScriptedHTTP {
        ScriptedHTTP {
            .success(
                HTTPCallAnswer(
                    status: status, headers: [HTTPField("Content-Type", "text/javascript")], body: Array(body($0).utf8),
                    url: $0.url))
        }
    }

    static var nobodyHere: ScriptedHTTP { present([]) }

    /// Answers every question who is there.
    static func present(_ users: [String]) -> ScriptedHTTP {
        json { _ in
            #"{"status":200,"message":"OK","occupancy":\#(users.count),"uuids":[\#(users.joined(separator: ","))],"#
                + #""service":"Presence"}"#
        }
    }
}
