import ChatProtocol
import ConnectionEngine
import EngineTesting
import NIOConcurrencyHelpers

@testable import Lifeline

/// A chat client on a scripted socket, a manual clock and scripted HTTP, and a server that answers as a test says.
struct ChatFixture {
    let client: LifelineClient
    let transport = ScriptedTransport<ChatSession>()
    let timers = ManualTimers()
    let server: ScriptedChat

    init(
        access: NexconnAccess = .token("tok"), presence: Bool = false, http: ScriptedHTTP = ScriptedHTTP(),
        answer: @escaping ScriptedChat.Answer = { _ in .success(.done) }
    ) {
        let settings = ChatAdapterSettings(
            appKey: "key", host: ServiceHost("h", port: 80, tls: false), path: nil, access: access,
            device: ChatDevice(id: "d", class: .desktop, system: "Linux"), yields: false, tracksPresence: presence)
        let options = ClientOptions(timing: .fast)
        server = ScriptedChat(answer)
        let adapter = ChatAdapter.make(
            settings, options, transport: transport, http: http, timers: timers, seed: 1, unixSeconds: { 1_700_000_000 })
        client = LifelineClient(adapter: adapter, options: options)
        transport.onSend { [transport, server] outbound in
            let answers = server.answers(to: outbound)
            if !answers.isEmpty { transport.report(.received(answers)) }
        }
    }

    /// How many messages wait to be sent, or for their answers.
    var waitingMessages: Int {
        (client.core.adapter as? ChatAdapter)?.driver.withMemory { $0.waitingMessages } ?? 0
    }

    func connect() async throws {
        let dials = transport.dials
        async let connected: Void = client.connect()
        while transport.dials == dials, !Task.isCancelled { await Task.yield() }
        transport.report(.opened)
        try await connected
    }

    /// Loses the link and comes back on another one.
    func loseLink() {
        client.settle()
        transport.report(.closed(ConnectionFailure(.networkUnavailable, "Reset.")))
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

    /// Lets time pass if an attempt waits for its turn, but not while one is under way: what it does takes no time on this clock.
    func letPausePass() async {
        if client.status.phase == .waiting { timers.advanceToNext() }
        await Task.yield()
    }

    /// Disconnects, with a peer that takes note of the goodbye.
    func disconnect() async {
        async let disconnected: Void = client.disconnect()
        func hasGoodbye() -> Bool {
            transport.calls.contains { if case .close(_, .goodbye) = $0 { true } else { false } }
        }
        while !hasGoodbye(), !Task.isCancelled { await Task.yield() }
        transport.report(.closed(ConnectionFailure(.disconnected, "Closed.")))
        await disconnected
    }

    func receive(_ frame: [UInt8]) {
        client.settle()
        transport.report(.received([ScriptedChat.inbound(frame)]))
        client.settle()
    }

    /// A message of the inbox, at its place.
    func deliver(_ message: ChatMessage, at sequence: UInt64) {
        receive(ChatServerFrames.event(message.body, sequence: sequence))
    }

    static func message(
        _ id: UInt64, from: String = "ben", to: String = "ann", _ conversation: ChatConversationKind = .direct,
        type: String = "RC:TxtMsg"
    ) -> ChatMessage {
        ChatMessage(
            id: ChatMessageID(rawValue: id), conversation: conversation, from: from, to: to, type: type,
            content: Array(#"{"content":\#(id)}"#.utf8))
    }
}

/// The other end: welcomes, hands out what it holds, answers requests and remembers everything that it was told.
final class ScriptedChat: Sendable {
    /// Nil leaves a request without an answer.
    typealias Answer = @Sendable (ChatRequest) -> Result<ChatResult, ChatRequestRefusal>?

    private struct State {
        var frames: [ChatClientFrame] = []
        var welcome = ChatWelcome(
            user: "ann", session: "s", time: 0, place: ChatPlace(epoch: "e", sequence: 10), isResumed: false)
        var package: [(sequence: UInt64, body: [UInt8])] = []
        var answer: Answer
    }

    private let state: NIOLockedValueBox<State>

    init(_ answer: @escaping Answer) {
        state = NIOLockedValueBox(State(answer: answer))
    }

    var frames: [ChatClientFrame] { state.withLockedValue { $0.frames } }
    var requests: [ChatRequest] {
        frames.compactMap { if case .request(let request, _) = $0 { request } else { nil } }
    }
    var hellos: [ChatHello] { frames.compactMap { if case .hello(let hello) = $0 { hello } else { nil } } }
    var acknowledged: [UInt64] { frames.compactMap { if case .acknowledge(let sequence) = $0 { sequence } else { nil } } }

    func answer(_ answer: @escaping Answer) { state.withLockedValue { $0.answer = answer } }

    /// What the next welcome says and what follows it.
    func prepare(
        sequence: UInt64 = 10, isResumed: Bool = false, hasLost: Bool = false, package messages: [(UInt64, ChatMessage)] = []
    ) {
        state.withLockedValue { state in
            state.welcome.place.sequence = sequence
            state.welcome.isResumed = isResumed
            state.welcome.hasLost = hasLost
            state.package = messages.map { ($0.0, $0.1.body) }
        }
    }

    func answers(to outbound: WebSocketOutbound) -> [ChatInbound] {
        guard case .text(let text) = outbound else { return [] }
        let bytes = Array(text.utf8)
        let frame = bytes.withUnsafeBytes { bytes in try? ChatClientFrame(parsing: bytes) }
        guard let frame else { return [.malformed(reason: "The client sent \(text).")] }
        return state.withLockedValue { state in
            state.frames.append(frame)
            switch frame {
            case .hello:
                return [
                    Self.inbound(ChatServerFrames.welcome(state.welcome)),
                    Self.inbound(ChatServerFrames.package(state.package, hasMore: false)),
                ]
            case .request(let request, let number):
                switch state.answer(request) {
                case .success(let result): return [Self.inbound(ChatServerFrames.ok(number, result))]
                case .failure(let refusal): return [Self.inbound(ChatServerFrames.no(number, refusal))]
                case nil: return []
                }
            default: return []
            }
        }
    }

    static func inbound(_ frame: [UInt8]) -> ChatInbound {
        var decoder = ChatFrameDecoder()
        return frame.withUnsafeBytes { decoder.text($0) } ?? .malformed(reason: "nothing")
    }

    /// An open channel with nothing in it.
    static let empty = ChatResult.entrance(
        ChatOpenEntrance(channel: "", created: 1, count: 1, entered: 1), messages: [])
}
