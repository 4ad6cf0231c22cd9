import ClientRuntime
import ConnectionEngine
import EngineTesting
import HTTPTransport
import NIOConcurrencyHelpers
import PusherProtocol
import WireCoding

@testable import Lifeline

/// A Pusher client on a scripted socket, a manual clock and scripted HTTP.
struct PusherFixture {
    let client: LifelineClient
    let transport = ScriptedTransport<PusherSession>()
    let timers = ManualTimers()
    let http: ScriptedHTTP
    /// Of the second connection, which asks for what was missed.
    let second = ScriptedTransport<PusherSession>()

    /// - Parameter confirms: whether the server confirms every subscription at once.
    init(
        access: PusherAccess = .secret("s3cret", appID: "7"), user: Member? = Member(id: "ann"), signIn: PusherSignIn? = nil,
        headers: [String: String] = [:], confirms: Bool = true,
        http: ScriptedHTTP = ScriptedHTTP()
    ) {
        self.http = http
        let settings = PusherSettings(
            key: "key", host: ServiceHost("h", port: 80, tls: false), api: ServiceHost("api", port: 81, tls: false),
            path: nil, access: access, user: user, signIn: signIn)
        let options = ClientOptions(timing: .fast, headers: headers)
        let isFirst = NIOLockedValueBox(true)
        let adapter = PusherAdapter.make(
            settings, options,
            dial: { [transport, second] in
                isFirst.withLockedValue { isFirst in
                    defer { isFirst = false }
                    return isFirst ? transport : second
                }
            }, http: http, timers: timers, seed: 1, unixSeconds: { 1_700_000_000 })
        client = LifelineClient(adapter: adapter, options: options)
        if confirms {
            transport.onSend { [transport] outbound in
                guard let channel = Self.subscribed(outbound) else { return }
                transport.report(.received([Self.inbound(PusherFrames.subscriptionSucceeded(channel: channel))]))
            }
        }
    }

    /// Opens the latest dial and greets.
    func greet() {
        transport.report(.opened)
        receive(PusherFrames.connectionEstablished(socketID: "1.2", activityTimeout: 120))
    }

    func connect() async throws {
        async let connected: Void = client.connect()
        while transport.dials == 0 { await Task.yield() }
        greet()
        try await connected
    }

    func receive(_ frame: [UInt8]) {
        client.settle()
        transport.report(.received([Self.inbound(frame)]))
        client.settle()
    }

    /// Loses the link.
    func loseLink() {
        client.settle()
        transport.report(.closed(ConnectionFailure(.networkUnavailable, "Reset.")))
        client.settle()
    }

    func receive(_ json: String) { receive(Array(json.utf8)) }

    /// Waits for the ping control frame that follows the latest text, and answers it.
    func pong() async {
        while true {
            if case .ping(let payload) = transport.sent.last {
                transport.report(.received([.pong(payload)]))
                return
            }
            await Task.yield()
        }
    }

    /// The texts that were sent.
    var texts: [String] {
        transport.sent.compactMap { if case .text(let text) = $0 { text } else { nil } }
    }

    /// Waits until a text that contains `part` was sent. The test's own time limit ends it otherwise.
    func sent(_ part: String) async {
        while !texts.contains(where: { $0.contains(part) }) { await Task.yield() }
    }

    static func inbound(_ frame: [UInt8]) -> PusherInbound {
        var decoder = PusherFrameDecoder()
        return frame.withUnsafeBytes { decoder.text($0) } ?? .malformed(reason: "nothing", text: nil)
    }

    private static func subscribed(_ outbound: WebSocketOutbound) -> String? {
        guard case .text(let text) = outbound, let message = try? JSONText(text),
            message["event"]?.string == "pusher:subscribe"
        else { return nil }
        return message["data"]?["channel"]?.string
    }
}

/// HTTP that answers as a test says, and records what it was asked.
final class ScriptedHTTP: HTTPSending {
    private let calls = NIOLockedValueBox<[HTTPCall]>([])
    private let isHeld = NIOLockedValueBox(false)
    private let answer: @Sendable (HTTPCall) -> Result<HTTPCallAnswer, ConnectionFailure>

    init(
        _ answer: @escaping @Sendable (HTTPCall) -> Result<HTTPCallAnswer, ConnectionFailure> = {
            .success(HTTPCallAnswer(status: 200, body: Array("{}".utf8), url: $0.url))
        }
    ) {
        self.answer = answer
    }

    var sent: [HTTPCall] { calls.withLockedValue { $0 } }

    /// Whether answers wait, until this is false again.
    var holdsAnswers: Bool {
        get { isHeld.withLockedValue { $0 } }
        set { isHeld.withLockedValue { $0 = newValue } }
    }

    func send(_ call: HTTPCall, timeout: Duration) async throws(ConnectionFailure) -> HTTPCallAnswer {
        calls.withLockedValue { $0.append(call) }
        while holdsAnswers { await Task.yield() }
        return try answer(call).get()
    }
}
