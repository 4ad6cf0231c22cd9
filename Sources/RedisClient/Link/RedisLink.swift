import ConnectionEngine
import EngineRuntime
import NIOCore

/// The settings with which a link connects to its server.
package struct RedisLinkSettings: Sendable {
    /// The settings of the server and of the handshake, for both connections of the link.
    package var endpoint: RedisEndpoint
    package var policy: RedisLinkPolicy
    /// The seed of the random generator for the pauses between attempts to connect.
    package var seed: UInt64

    package init(endpoint: RedisEndpoint, policy: RedisLinkPolicy, seed: UInt64) {
        self.endpoint = endpoint
        self.policy = policy
        self.seed = seed
    }

    /// Makes the settings for an address.
    ///
    /// - Parameters:
    ///   - clientName: the name of the connections in the server's `CLIENT LIST`.
    ///   - tls: for `rediss`; nil for the system's roots.
    ///   - key: a key with the hash tag of all used keys and channels. In a Redis Cluster it determines the shard.
    ///   - seed: the seed for random pauses; it also determines the name of the channel for probes.
    package init(
        address: RedisAddress, clientName: String, tls: RedisTLS? = nil, key: String = "{lifeline}", seed: UInt64
    ) throws(RedisAddressError) {
        guard !address.hosts.isEmpty else { throw .noHost }
        if address.topology == .single, address.hosts.count > 1 { throw .severalHosts }
        let tls = address.usesTLS ? tls ?? RedisTLS() : nil
        let handshake = RedisHandshake(credentials: address.credentials, clientName: clientName, database: address.database)
        let probe = RedisLinkPolicy.Probe(channel: RedisChannel(.channel, "lifeline:probe:" + String(seed, radix: 16)))
        self.init(
            endpoint: RedisEndpoint(
                locator: RedisLocator(address, tls: tls, clientName: clientName, key: key), tls: tls, handshake: handshake),
            policy: RedisLinkPolicy(probe: probe), seed: seed)
    }
}

/// The connections to one server: one for commands, one for messages. Both reconnect automatically.
///
/// All methods may be called from any thread and never block. Calls of one thread keep their order. Events and answers are reported on the
/// event loop in one common order; their handlers may call the link.
package final class RedisLink: Sendable {
    /// Collects the operations that are requested during one iteration of the event loop, and performs them together in the next iteration.
    private let operations: CoalescingWorker<[RedisLinkOperation]>

    /// Makes a link that connects when ``start()`` is called.
    ///
    /// - Parameter events: called on the event loop; must not block.
    package init(
        _ settings: RedisLinkSettings, eventLoop: any EventLoop, timers: (any TimerScheduler)? = nil,
        events: @escaping @Sendable (RedisLinkEvent) -> Void
    ) {
        let core: NIOLoopBoundBox<RedisLinkCore> = .makeBoxSendingValue(
            RedisLinkCore(settings, eventLoop: eventLoop, timers: timers ?? EventLoopTimers(eventLoop), events: events),
            eventLoop: eventLoop)
        operations = CoalescingWorker(on: .queue(.turns(of: eventLoop))) { operations in
            for operation in operations { core.value.perform(operation) }
        }
    }

    deinit { perform(.close) }

    /// Connects. It can also be called again after the link has stopped for a final cause, such as a wrong password.
    package func start() { perform(.start) }

    /// Uses another endpoint for all later attempts to connect, and ends the pauses between attempts. Ready connections stay open.
    ///
    /// - Parameter endpoint: the new endpoint; nil for the present one.
    package func renew(_ endpoint: RedisEndpoint? = nil) { perform(.renew(endpoint)) }

    /// Closes both connections. Unanswered requests fail.
    package func close() { perform(.close) }

    /// Performs a call, which is a command or a script.
    ///
    /// - Parameters:
    ///   - limit: the time limit, which includes waiting for a connection.
    ///   - completion: called once, on the event loop; must not block.
    package func send(
        _ call: RedisCall, within limit: Duration, completion: @escaping @Sendable (Result<RedisValue, RedisFailure>) -> Void
    ) {
        perform(.send(call, limit, completion))
    }

    /// Performs a call and waits for its answer.
    package func send(_ call: RedisCall, within limit: Duration) async throws(RedisFailure) -> RedisValue {
        let result = await withCheckedContinuation { continuation in
            send(call, within: limit) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// Performs a command and waits for its answer.
    package func send(_ command: RedisCommand, within limit: Duration) async throws(RedisFailure) -> RedisValue {
        try await send(.command(command), within: limit)
    }

    /// Runs a script and waits for its answer. If the server does not have the script, the script is loaded first.
    package func run(
        _ script: RedisScript, keys: [RedisArgument], arguments: [RedisArgument] = [], within limit: Duration
    ) async throws(RedisFailure) -> RedisValue {
        try await send(.script(script, keys: keys, arguments: arguments), within: limit)
    }

    /// Subscribes to channels now and after every reconnect.
    ///
    /// - Parameter completion: called when the server has confirmed all names, or with the error of the subscription. After a timeout the
    ///   link still subscribes as soon as it can. A subscription that the server has refused is dropped.
    package func subscribe(
        _ kind: RedisChannel.Kind = .channel, to names: [ByteBuffer], within limit: Duration,
        completion: @escaping @Sendable (Result<RedisValue, RedisFailure>) -> Void
    ) {
        perform(.subscribe(kind, names, limit, completion))
    }

    /// Subscribes to channels and waits until the server has confirmed all of them.
    package func subscribe(
        _ kind: RedisChannel.Kind = .channel, to names: [ByteBuffer], within limit: Duration
    ) async throws(RedisFailure) {
        let result = await withCheckedContinuation { continuation in
            subscribe(kind, to: names, within: limit) { continuation.resume(returning: $0) }
        }
        _ = try result.get()
    }

    /// Unsubscribes from channels.
    package func unsubscribe(_ kind: RedisChannel.Kind = .channel, from names: [ByteBuffer]) {
        perform(.unsubscribe(kind, names))
    }

    /// Pauses or resumes reading messages, so that an owner that cannot keep up need not drop messages. Messages that were already read are
    /// still delivered.
    package func setReading(_ isReading: Bool) {
        perform(.setReading(isReading))
    }

    private func perform(_ operation: RedisLinkOperation) {
        operations.put(operation)
    }
}

typealias RedisCompletion = @Sendable (Result<RedisValue, RedisFailure>) -> Void

/// An operation that another thread has requested of a link. The link performs it on its event loop.
enum RedisLinkOperation: Sendable {
    case start
    case renew(RedisEndpoint?)
    case close
    case send(RedisCall, Duration, RedisCompletion)
    case subscribe(RedisChannel.Kind, [ByteBuffer], Duration, RedisCompletion)
    case unsubscribe(RedisChannel.Kind, [ByteBuffer])
    case setReading(Bool)
}
