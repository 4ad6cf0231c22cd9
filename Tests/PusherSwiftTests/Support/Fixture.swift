import ConnectionEngine
import Dispatch
import EngineRuntime
import LifelineTesting
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

    var connection: PusherConnection { pusher.connection }

    init(key: String = "testKey123", options: PusherClientOptions = PusherClientOptions()) {
        let transport = ScriptedTransport<PusherSession>()
        let timers = ManualTimers()
        let http = ScriptedHTTP()
        let queue = DispatchQueue(label: "test.callbacks")
        options.callbackQueue = queue
        let engine = EngineAssembly(
            makeHTTP: { _ in http },
            makeDriver: { url, options, policy, runner, _ in
                ConnectionDriver(
                    transport: transport, jobs: runner, timers: timers, policy: policy,
                    memory: EngineAssembly.memory(url: url, options: options), seed: 1, isDroppable: EngineAssembly.isDroppable)
            })
        pusher = Pusher(
            connection: PusherConnection(
                key: key, url: PusherAddress.url(key: key, options: options), options: options, URLSession: .shared,
                engine: engine))
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

    /// Waits until the callbacks that are due have run, and those that they caused.
    func settle() {
        for _ in 0..<5 { queue.sync {} }
    }
}

extension PusherSessionEvent {
    static func message(_ event: String, _ channel: String? = nil, _ data: String? = nil) -> PusherSessionEvent {
        .message(PusherMessage(event: event, channel: channel, data: data))
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
