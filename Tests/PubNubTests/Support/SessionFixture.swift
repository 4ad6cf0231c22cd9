import ConnectionEngine
import EngineRuntime
import EngineTesting
import PubNubProtocol

@testable import PubNub

/// A client on the real engine and session, whose service is the test: on a manual clock, callbacks at once.
struct SessionFixture {
    let transport = ScriptedTransport<PubNubSession>()
    let timers = ManualTimers()
    let listener = RecordingListener()
    let client: PubNub

    init(queue: CallbackQueue = .inline, configure: (inout ConfigurationValues) -> Void = { _ in }) {
        var values = ConfigurationValues(publishKey: "pub", subscribeKey: "sub", uuid: "me", deviceID: "device")
        configure(&values)
        let (transport, timers) = (transport, timers)
        let assembly = PubNubEngineAssembly(
            makeCalls: { _ in ScriptedCalls() },
            makeEngine: { values, settings in
                LiveSubscription(settings) {
                    PubNubEngineAssembly.driver(values, $0, transport: transport, timers: timers, seed: 7)
                }
            })
        client = PubNub(values, queue: queue, assembly: assembly)
        client.addListener(listener)
    }

    // MARK: What is asked

    /// The outstanding poll, if there is one.
    var poll: HTTPExchange? {
        switch transport.sent.last(where: { if case .call = $0 { false } else { true } }) {
        case .poll(let exchange), .renewPoll(let exchange): exchange
        default: nil
        }
    }

    /// The calls of the present attempt, in order.
    var calls: [HTTPExchange] {
        transport.sent.compactMap { if case .call(let exchange) = $0 { exchange } else { nil } }
    }

    /// The parameters of the outstanding poll that matter here.
    var asked: String {
        guard let poll else { return "-" }
        let parts = poll.target.split(separator: "?", maxSplits: 1)
        let list = parts[0].split(separator: "/")[3]
        let wanted = ["tt", "tr", "filter-expr", "auth"]
        let query = parts[1].split(separator: "&").filter { item in wanted.contains { item.hasPrefix($0 + "=") } }
        return ([String(list)] + query.map(String.init)).joined(separator: " ")
    }

    /// Whether the latest that the transport was told is to say goodbye.
    var saidGoodbye: Bool {
        if case .close(_, .goodbye) = transport.calls.last { true } else { false }
    }

    // MARK: What comes back

    func open() { transport.report(.opened) }

    func answer(_ timetoken: UInt64, _ messages: PubNubMessage...) {
        let cursor = PubNubCursor(timetoken: Timetoken(rawValue: timetoken), region: 12)
        reply(poll?.id, .success(.subscribed(cursor, messages)))
    }

    func answer(_ timetoken: UInt64, _ messages: PubNubMessage..., unreadable: Int) {
        let cursor = PubNubCursor(timetoken: Timetoken(rawValue: timetoken), region: 12)
        reply(poll?.id, .success(.partlyRead(cursor, messages, unreadable: unreadable)))
    }

    func refuse(_ problem: PubNubProblem) { reply(poll?.id, .success(.problem(problem))) }

    func lose(_ category: StatusCategory) { reply(poll?.id, .failure(ConnectionFailure(category, "Gone."))) }

    func answerCall(_ result: Result<PubNubAnswer, ConnectionFailure> = .success(.other(body: Array("[1]".utf8)))) {
        reply(calls.last?.id, result)
    }

    private func reply(_ id: UInt64?, _ result: Result<PubNubAnswer, ConnectionFailure>) {
        guard let id else { return }
        transport.report(.received([LongPollInbound(id: id, result: result)]))
    }

    /// Lets the pause before the next attempt pass and opens it.
    func wait() {
        let dials = transport.dials
        // The thread that performs the effects, in their order, may be another one, and still be at it.
        let limit = ContinuousClock.now + .seconds(60)
        while transport.dials == dials, ContinuousClock.now < limit { timers.advanceToNext() }
        open()
    }

    /// Subscribes and answers the handshake.
    func subscribe(_ channels: String..., at timetoken: UInt64 = 15) {
        client.subscribeToChannels(channels, withPresence: false)
        open()
        answer(timetoken)
    }
}
