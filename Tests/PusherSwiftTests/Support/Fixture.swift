import ConnectionEngine
import Dispatch
import EngineRuntime
import EngineTesting
import NIOConcurrencyHelpers
import PusherProtocol

@testable import PusherSwift

/// A client on a scripted socket, a manual clock and scripted HTTP, with its callbacks on a queue of its own.
struct Fixture {
    let pusher: Pusher
    let transport: ScriptedTransport<PusherSession>
    let timers: ManualTimers
    let http: ScriptedHTTP
    let delegate: RecordingDelegate
    let queue: DispatchQueue
    let network = ScriptedNetwork()
    /// How often the connection asked the system to tell where the application is.
    let applicationObservations = NIOLockedValueBox(0)

    var connection: PusherConnection { pusher.connection }

    /// Small, so that tests can fill it.
    static let backlog = 1000

    /// Tells code on the callback queue from code elsewhere.
    static let marker = DispatchSpecificKey<String>()

    init(key: String = "testKey123", options: PusherClientOptions = PusherClientOptions()) {
        let transport = ScriptedTransport<PusherSession>()
        let timers = ManualTimers()
        let http = ScriptedHTTP()
        let queue = DispatchQueue(label: "test.callbacks")
        queue.setSpecific(key: Self.marker, value: "callbacks")
        options.callbackQueue = queue
        options.engine = PusherEngineAssembly(
            makeHTTP: { _, _ in http },
            makeDriver: { url, options, policy, runner, gate, wantsFrames in
                ConnectionDriver(
                    transport: gate.around(transport, wantsFrames: wantsFrames), jobs: runner, timers: timers, policy: policy,
                    memory: PusherEngineAssembly.memory(url: url, options: options), seed: 1,
                    backlog: Self.backlog, isDroppable: PusherEngineAssembly.isDroppable)
            },
            observeNetwork: { [network] host, driver in
                network.listen(host) { [weak driver] in driver?.submit(.networkChanged($0)) }
                return nil
            },
            observeApplication: { [applicationObservations] _ in
                applicationObservations.withLockedValue { $0 += 1 }
                return nil
            })
        pusher = Pusher(key: key, options: options)
        delegate = RecordingDelegate()
        self.transport = transport
        self.timers = timers
        self.http = http
        self.queue = queue
        connection.delegate = delegate
    }

    /// Hands notices to the connection as the engine would.
    func deliver(_ notices: Notice<PusherSession>...) {
        queue.sync { connection.deliver(notices) }
    }

    /// Hands events to the connection as the engine would.
    func deliver(_ events: PusherSessionEvent...) {
        queue.sync { connection.deliver(events.map { .event($0) }) }
    }

    /// What the server sends. The frame goes through the decoder, as on a socket.
    func receive(_ text: String) {
        var decoder = PusherFrameDecoder(keepsText: { true })
        var text = text
        let inbound = text.withUTF8 { decoder.text(UnsafeRawBufferPointer($0)) }
        if let inbound { transport.report(.received([inbound])) }
        settle()
    }

    /// What the server sends on a channel; `data` goes out as a string.
    func receive(_ event: String, on channel: String, _ data: String?) {
        let data = data.map { ",\"data\":\(AnyJSON.quote($0))" } ?? ""
        receive("{\"event\":\"\(event)\",\"channel\":\"\(channel)\"\(data)}")
    }

    func confirm(_ channel: String, _ data: String? = "{}") {
        receive("pusher_internal:subscription_succeeded", on: channel, data)
    }

    static let socketID = "45481.3166671"

    /// The socket opens and the server greets.
    func greet(activityTimeout: Int = 120) {
        transport.report(.opened)
        let data = "{\"socket_id\":\"\(Self.socketID)\",\"activity_timeout\":\(activityTimeout)}"
        receive("{\"event\":\"pusher:connection_established\",\"data\":\(AnyJSON.quote(data))}")
    }

    func connect() {
        pusher.connect()
        greet()
    }

    /// The socket closes, with the peer's close code or for a fault of the network.
    func lose(code: Int? = nil) {
        let failure =
            code.map { ConnectionFailure(.unexpectedDisconnect, "closed", origin: .server, closeCode: $0) }
            ?? ConnectionFailure(.networkUnavailable, "reset")
        transport.report(.closed(failure))
        settle()
    }

    /// The text frames of the present connection.
    var sent: [String] {
        transport.sent.compactMap { if case .text(let text) = $0 { text } else { nil } }
    }

    /// Waits until the callbacks that are due have run, and those that they caused.
    func settle() {
        for _ in 0..<5 { queue.sync {} }
    }
}

extension PusherSessionEvent {
    static func message(_ event: String, _ channel: String? = nil, _ data: String? = nil) -> PusherSessionEvent {
        .message(PusherEnvelope(event: event, channel: channel, data: data))
    }

    static func subscribed(
        _ channel: String, members: [String] = [], myID: String? = nil, isRenewal: Bool = false
    ) -> PusherSessionEvent {
        .subscribed(
            PusherSubscribed(
                channel: channel, data: "{}", members: members.map { PusherMember(userID: $0) }, myID: myID,
                isRenewal: isRenewal))
    }
}

extension Notice where Session == PusherSession {
    static func phase(_ phase: ConnectionPhase, attempt: Int = 0, cause: ConnectionFailure? = nil) -> Self {
        .change(
            ConnectionChange(previous: .idle, phase: phase, category: .connected, cause: cause, attempt: attempt, at: .zero))
    }
}

/// News of the network as a test says.
final class ScriptedNetwork: Sendable {
    private let state = NIOLockedValueBox((hosts: [String](), report: (@Sendable (NetworkStatus) -> Void)?.none))

    var hosts: [String] { state.withLockedValue { $0.hosts } }

    func listen(_ host: String, _ report: @escaping @Sendable (NetworkStatus) -> Void) {
        state.withLockedValue { $0 = ($0.hosts + [host], report) }
    }

    func tell(_ status: NetworkStatus) {
        state.withLockedValue { $0.report }?(status)
    }
}
