import NIOCore
import NIOPosix
import ServerConsole
import ServerRuntime

/// The admin port of a server. Its listener runs on a separate thread, so that its requests do not delay clients.
final class AdminServer: Sendable {
    let url: String
    private let host: ServerHost
    private let listener: ListeningSocket
    private let sweeps: [RepeatedTask]
    private let group: MultiThreadedEventLoopGroup

    /// Starts listening. Nil without an admin port, and if other machines could read its unencrypted traffic.
    ///
    /// - Parameter certificate: the server's certificate, which is used if clients on other machines can reach the port.
    init?(
        _ configuration: ServerConfiguration, main: ServerHost, services: ServerServices, seat: any ServerSeat,
        applications: RuntimeApplications?, certificate: ServerCertificate?
    ) async throws {
        guard let admin = configuration.admin else { return nil }
        let usesTLS = !admin.isLoopback && certificate != nil
        guard admin.isLoopback || usesTLS || !admin.proxies.isEmpty else {
            configuration.logger.error(
                "the admin port is off, because other machines could reach it without TLS: set tls.cert and tls.key, adminTrustProxy, or adminHost 127.0.0.1"
            )
            return nil
        }
        var runtime = RuntimeSettings(
            host: admin.host, port: admin.port, clock: configuration.clock, logger: configuration.logger)
        runtime.usesTLS = usesTLS
        runtime.corsOrigins = []
        runtime.readsAllFields = true
        runtime.tellsMetrics = false
        // The limit of WebSocket connections is 0, because the admin port serves HTTP requests only. Their connections use the sockets that
        // every server reserves for HTTP requests.
        runtime.maximumConnections = 0
        runtime.maximumConnectionsPerAddress = 100
        runtime.connectionRatePerAddress = 50
        runtime.maximumRequestBytes = 262_144
        runtime.sweepInterval = .milliseconds(250)
        // A connection may stay without a request only for a short time. It is closed even earlier when a new connection needs its socket.
        runtime.requestTimeout = .seconds(5)
        runtime.keepAliveTimeout = .seconds(15)
        runtime.replacesIdleConnections = true
        runtime.reservedDescriptors = 16
        var console = ConsoleSettings()
        console.passwords = admin.passwords
        console.names = admin.names
        console.usesTLS = usesTLS
        console.proxies = admin.proxies
        console.trustsProxyHeaders = configuration.trustsProxyHeaders
        console.protectsMetrics = !admin.isLoopback
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            let context = ServerContext(
                runtime, eventLoops: Array(group.makeIterator()), certificate: usesTLS ? certificate : nil)
            main.context.favour(context)
            let source = ServerConsoleSource(configuration, host: main, services: services, seat: seat, runtime: applications)
            host = ServerHost(context, [ConsoleFront(console, context: context, source: source)])
            try await host.prepare()
            do {
                listener = try await ListeningSocket.open(host, on: group)
            } catch {
                try? await host.release()
                throw AdminPortError(host: admin.host, port: admin.port, cause: error)
            }
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
        sweeps = host.startSweeping()
        let port = listener.port ?? admin.port
        url = admin.url(port: port, usesTLS: usesTLS)
        configuration.logger.notice(
            "the admin port is open", metadata: ["port": "\(port)", "console": "\(admin.passwords == nil ? "off" : url)"])
    }

    func stop() async {
        host.context.admission.withLockedValue { $0.drain() }
        await listener.close()
        try? await host.finishSockets(within: .zero)
        for sweep in sweeps { sweep.cancel() }
        await host.close()
        for loop in host.context.loops { loop.queue.close() }
        try? await group.shutdownGracefully()
    }
}
