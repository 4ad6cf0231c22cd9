import ConnectionEngine
import EngineRuntime
import NIOCore

/// The announcement of a new master by a Sentinel.
struct SwitchedMaster: Hashable, Sendable {
    /// The name of the master in the configuration of the Sentinels.
    var name: String
    var host: RedisAddress.Host

    /// Parses a Sentinel's message on `+switch-master`: name, old host, old port, new host, new port. Nil for any other text.
    init?(_ payload: ByteBuffer) {
        let words = String(buffer: payload).split(separator: " ", omittingEmptySubsequences: false)
        guard words.count >= 5, let port = words.last.flatMap({ Int($0) }), (1...65_535).contains(port),
            let host = words.dropLast().last, !host.isEmpty
        else { return nil }
        name = words.dropLast(4).joined(separator: " ")
        self.host = RedisAddress.Host(String(host), port: port)
    }
}

/// Listens to one Sentinel for as long as the listener lives, and reports at once when another server has become the master (rules
/// RC-40 and CR-46).
///
/// Used on one event loop.
final class SentinelListener {
    private let sentinel: RedisAddress.Host
    private let master: String
    private let tls: RedisTLS?
    private let handshakes: [RedisHandshake]
    private let timing: RedisTiming
    private let eventLoop: any EventLoop
    private let timers: any TimerScheduler
    private let report: (RedisAddress.Host) -> Void
    private var connection: RedisConnection?
    /// How many handshakes the Sentinel has refused. Modulo the number of ``handshakes`` it is the index of the handshake in use.
    private var attempt = 0
    private var waiting: TimerCancellation?
    /// Whether the Sentinel has confirmed the subscription to its announcements of new masters.
    private(set) var isListening = false

    private static let channel = RedisChannel(.channel, "+switch-master")
    /// The pause between two attempts to connect to the Sentinel.
    static let pause = Duration.seconds(1)

    /// - Parameters:
    ///   - master: the name of the master in the configuration of the Sentinels.
    ///   - handshakes: the handshakes to try one after the other while the Sentinel refuses them.
    ///   - report: called on the event loop with the new master.
    init(
        _ sentinel: RedisAddress.Host, master: String, tls: RedisTLS?, handshakes: [RedisHandshake], timing: RedisTiming,
        eventLoop: any EventLoop, timers: any TimerScheduler, report: @escaping (RedisAddress.Host) -> Void
    ) {
        self.sentinel = sentinel
        self.master = master
        self.tls = tls
        self.handshakes = handshakes
        self.timing = timing
        self.eventLoop = eventLoop
        self.timers = timers
        self.report = report
        dial()
    }

    deinit { waiting?() }

    private func dial() {
        guard !handshakes.isEmpty else { return }
        // in bounds: the index is a remainder of the division by the count.
        let handshake = handshakes[attempt % handshakes.count]
        let endpoint = RedisEndpoint(host: sentinel, tls: tls, handshake: handshake, timing: timing)
        connection = RedisConnection(endpoint, eventLoop: eventLoop, timers: timers) { [weak self] in self?.heard($0) }
    }

    private func heard(_ event: RedisConnectionEvent) {
        switch event {
        case .ready:
            connection?.submit(
                .subscribing(RedisSubscribing(.channel, begins: true, names: [Self.channel.name])), id: 1,
                deadline: timers.now + .seconds(1))
        case .answered(_, .success): isListening = true
        case .answered(_, .failure): connection?.cut(.closed)
        case .pushed(.message(let message)):
            guard let switched = SwitchedMaster(message.payload), switched.name == master else { return }
            report(switched.host)
        case .pushed: break
        case .closed(let loss):
            isListening = false
            connection = nil
            if case .refused = loss { attempt += 1 }
            let bound = NIOLoopBound(Weak(self), eventLoop: eventLoop)
            waiting = timers.schedule(after: Self.pause) {
                bound.eventLoop.execute { bound.value.object?.dial() }
            }
        }
    }
}
