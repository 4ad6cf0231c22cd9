import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import ServerRuntime
import ServerValues
import ServiceLifecycle
import WireCoding

/// A realtime server for the protocols of Pusher, PubNub and Lifeline's chat, on one port.
///
/// ```swift
/// let server = try await LifelineServer.start(.init(port: 0))
/// // connect to server.url …
/// try await server.stop()
/// ```
/// All methods may be called from any thread.
public final class LifelineServer: Sendable {
    let host: ServerHost
    let services: ServerServices
    let configuration: ServerConfiguration
    /// The server's membership in its backend: the state that the servers of one process, or of a cluster, share.
    let seat: any ServerSeat
    let listener: ListeningSocket
    /// The admin port; nil for none.
    private let admin: AdminServer?
    /// The applications that are made at run time; nil when they are not supported.
    let runtime: RuntimeApplications?
    private let sweeps: [RepeatedTask]
    /// The server's own event loops, which are shut down with the server. Nil if the server uses the event loops of the process.
    private let ownGroup: MultiThreadedEventLoopGroup?
    private let stopping = NIOLockedValueBox<Task<Void, any Error>?>(nil)

    /// The version of the server, which `/metrics` also reports.
    public static let version = PackageVersion.current

    /// The port on which the server listens.
    public let port: Int
    /// The address for clients and for the HTTP API, such as `http://127.0.0.1:6001`.
    public let url: String
    /// The number of threads that serve connections.
    public var threads: Int { context.loops.count }
    /// The address of the console; nil without an admin port.
    package var adminURL: String? { admin?.url }

    private init(
        _ configuration: ServerConfiguration, host: ServerHost, services: ServerServices, seat: any ServerSeat,
        listener: ListeningSocket, admin: AdminServer?, runtime: RuntimeApplications?, sweeps: [RepeatedTask],
        ownGroup: MultiThreadedEventLoopGroup?
    ) {
        self.configuration = configuration
        self.host = host
        self.services = services
        self.seat = seat
        self.listener = listener
        self.admin = admin
        self.runtime = runtime
        self.sweeps = sweeps
        self.ownGroup = ownGroup
        port = listener.port ?? configuration.port
        let name = configuration.host
        let shown = name == "0.0.0.0" || name == "::" ? "127.0.0.1" : name.contains(":") ? "[\(name)]" : name
        url = "\(configuration.tls == nil ? "http" : "https")://\(shown):\(port)"
    }

    /// A server that is released without ``stop()`` stops itself.
    deinit {
        guard stopping.withLockedValue({ $0 }) == nil else { return }
        let (ending, timeout) = (ending, configuration.closeTimeout)
        Task { try await ending.run(within: timeout) }
    }

    var context: ServerContext { host.context }
    var reload: ServerReload { ServerReload(services: services, parts: seat.parts, runtime: runtime) }

    /// Starts a server. Returns when the server accepts connections.
    ///
    /// - Throws: an `IOError` when the server cannot listen on the address; `CertificateError` when the certificate or key cannot be used;
    ///   ``ServerError`` when the bridge or Redis cannot be used; errors of the stores.
    public static func start(_ configuration: ServerConfiguration = .init()) async throws -> LifelineServer {
        try await start(configuration, on: LocalBackend())
    }

    /// Starts a server like ``start(_:)``, but with a backend that it shares with other servers of this process.
    package static func start(
        _ configuration: ServerConfiguration, on backend: LocalBackend
    ) async throws -> LifelineServer {
        try configuration.bridge?.check(configuration.keysets)
        guard let settings = configuration.runtimeApplications else {
            return try await start(configuration, nil, on: backend)
        }
        // The applications are read before the server listens, because clients of an application that is not loaded yet would get a final
        // refusal.
        let runtime = try await RuntimeApplications.open(settings, configuration)
        do {
            return try await start(runtime.extending(configuration), runtime, on: backend)
        } catch {
            await runtime.close()
            throw error
        }
    }

    private static func start(
        _ configuration: ServerConfiguration, _ runtime: RuntimeApplications?, on backend: LocalBackend
    ) async throws -> LifelineServer {
        let (group, ownGroup) = Self.group(configuration)
        do {
            let loops = Array(group.makeIterator().prefix(EventLoopSet.capacity))
            let certificate = try configuration.tls.map { try ServerCertificate($0) }
            certificate?.warn(configuration.logger, at: configuration.clock.unixSeconds())
            let seat: any ServerSeat =
                if let redis = configuration.redis {
                    try await ClusterBackend(configuration, redis)
                } else {
                    try await backend.join(configuration, loops: loops.count)
                }
            let context = ServerContext(
                configuration.runtime, eventLoops: loops, certificate: certificate, node: seat.node,
                clusterLoops: seat.clusterLoops
            )
            context.conditions.withLockedValue { $0 = seat.conditions }
            let services: ServerServices
            do {
                if let bridge = configuration.bridge { try seat.open(bridge) }
                services = try await ServerServices(configuration, context: context, parts: seat.parts)
            } catch {
                await seat.leave()
                throw error
            }
            do {
                let host = services.host(otherMetrics: seat.metrics + (runtime?.metrics ?? []))
                try await host.prepare()
                runtime?.attach { [weak runtime] in
                    try await ServerReload(services: services, parts: seat.parts, runtime: runtime).runtimeChanged()
                }
                let listener: ListeningSocket
                let admin: AdminServer?
                do {
                    // The admin port is opened first: if it is in use, the start fails before any client has connected.
                    admin = try await AdminServer(
                        configuration, main: host, services: services, seat: seat, applications: runtime, certificate: certificate
                    )
                } catch {
                    try await host.release()
                    throw error
                }
                do {
                    listener = try await ListeningSocket.open(host, on: group)
                } catch {
                    await admin?.stop()
                    try await host.release()
                    throw error
                }
                var sweeps = host.startSweeping()
                let watch = certificate?.watch(
                    on: listener.eventLoop, logger: configuration.logger, unixSeconds: configuration.clock.unixSeconds)
                if let watch { sweeps.append(watch) }
                sweeps += [runtime?.startWatching(on: listener.eventLoop)].compactMap(\.self)
                sweeps.append(seat.parts.watchStores(on: listener.eventLoop, configuration.logger, configuration.clock))
                configuration.logger.notice(
                    "listening for clients", metadata: ["port": "\(listener.port ?? 0)", "threads": "\(loops.count)"])
                return LifelineServer(
                    configuration, host: host, services: services, seat: seat, listener: listener, admin: admin, runtime: runtime,
                    sweeps: sweeps, ownGroup: ownGroup)
            } catch {
                await services.close()
                await seat.leave()
                throw error
            }
        } catch {
            try? await ownGroup?.shutdownGracefully()
            throw error
        }
    }

    /// The event loops of the process if there are as many of them as configured; otherwise a new group of event loops.
    private static func group(
        _ configuration: ServerConfiguration
    ) -> (MultiThreadedEventLoopGroup, MultiThreadedEventLoopGroup?) {
        let threads = configuration.usedThreads
        if configuration.threads == nil, NIOSingletons.groupLoopCountSuggestion == threads {
            return (MultiThreadedEventLoopGroup.singleton, nil)
        }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: threads)
        return (group, group)
    }

    /// Stops the server: drains for at most ``ServerConfiguration/drainTimeout``, then closes the remaining connections.
    ///
    /// Returns when every socket is closed. Further calls wait for the same stop.
    ///
    /// - Throws: an error of closing the sockets or the stores.
    public func stop() async throws {
        try await drain(timeout: configuration.drainTimeout)
    }

    /// Stops the server like ``stop()``, but drains for at most `timeout`.
    ///
    /// New connections are refused. WebSocket clients get `pusher:error` and a close frame with ``ServerConfiguration/drainCode``. Held
    /// polls and requests in progress are answered. These actions are spread over most of the time (rules SV-12 and SV-37).
    ///
    /// - Throws: an error of closing the sockets or the stores.
    public func drain(timeout: Duration) async throws {
        let task = stopping.withLockedValue { stopping in
            if let stopping { return stopping }
            let ending = ending
            let task = Task { try await ending.run(within: timeout) }
            stopping = task
            return task
        }
        try await task.value
    }

    private var ending: Ending {
        Ending(
            host: host, services: services, seat: seat, listener: listener, admin: admin, runtime: runtime, sweeps: sweeps,
            ownGroup: ownGroup)
    }

    /// The parts of a server that a stop has to close. They do not include the server object, which may be released already.
    private struct Ending {
        let host: ServerHost
        let services: ServerServices
        let seat: any ServerSeat
        let listener: ListeningSocket
        let admin: AdminServer?
        let runtime: RuntimeApplications?
        let sweeps: [RepeatedTask]
        let ownGroup: MultiThreadedEventLoopGroup?

        func run(within timeout: Duration) async throws {
            let context = host.context
            context.logger.info("stopping: new connections are refused and open ones are closed")
            context.admission.withLockedValue { $0.drain() }
            await listener.close()
            try await host.finishSockets(within: timeout)
            for sweep in sweeps { sweep.cancel() }
            // The admin port is closed after all connections of clients, so that an operator can watch the drain.
            await admin?.stop()
            await host.close()
            await services.bridge?.end()
            await runtime?.close()
            await seat.leave()
            for loop in context.loops { loop.queue.close() }
            try await ownGroup?.shutdownGracefully()
            context.logger.info("the server has stopped")
        }
    }

    // MARK: Control

    /// Waits while publishing would throw ``ServerError/congested``. Returns early when the task is cancelled or the server stops.
    ///
    /// When several tasks publish, another task may use the room first, so that publishing throws again.
    public func waitForRoom() async {
        while !Task.isCancelled {
            let wait = NIOLockedValueBox<UInt64?>(nil)
            let isOver = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let number = context.congestion.wait { continuation.resume(returning: false) }
                    guard let number else { return continuation.resume(returning: true) }
                    wait.withLockedValue { $0 = number }
                    if Task.isCancelled { context.congestion.giveUp(number) }
                }
            } onCancel: {
                if let number = wait.withLockedValue({ $0 }) { context.congestion.giveUp(number) }
            }
            if isOver { return }
        }
    }

    /// Returns when every event loop has run a task of this call. A blocked event loop keeps the caller waiting.
    package func eventLoopsAnswer() async throws {
        for loop in context.loops { try await loop.eventLoop.submit {}.get() }
    }

    /// The server's current statistics. Counters may be up to one second old.
    public var statistics: ServerStatistics { services.statistics }
}

extension LifelineServer: Service {
    /// Runs until a graceful shutdown or a cancellation is requested, then drains.
    ///
    /// - Throws: the same errors as ``stop()``.
    public func run() async throws {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        await withGracefulShutdownHandler {
            for await _ in stream {}
        } onGracefulShutdown: {
            continuation.finish()
        }
        try await Task { try await self.stop() }.value
    }
}
