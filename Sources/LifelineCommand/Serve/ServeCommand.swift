import ArgumentParser
import Foundation
import LifelineServer
import Logging
import NIOPosix
import ServiceLifecycle
import Tracing
import UnixSignals

struct ServeCommand: AsyncParsableCommand, ServeOptionGroups {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Runs a server for unchanged clients of Pusher and PubNub, and for chat clients of this package.",
        discussion: HelpText.text(
            """
            Without options the server uses development credentials: for Pusher the app 1001 with key app-key and secret app-secret, \
            for PubNub the keys demo and demo, for chat the app key app-key with the secret app-secret. These are public: set \
            your own before others can reach the server.

            Messages are stored in memory and lost when the server stops. With --data they are stored on disk: history, channel \
            groups, and the messages that clients can catch up on. Only one server at a time can use the directory.

            With --redis several servers work as one: clients see the same on each of them, behind any load balancer. With a PostgreSQL \
            database in --data as well, histories and all else that lasts is there instead of in the memory of Redis. See docs/cluster.md.

            When the server accepts connections, it prints a line such as "lifeline: ready http://127.0.0.1:6001". Logs go to standard \
            error. SIGTERM and SIGINT stop it: within five seconds it closes connections one after the other and asks the clients to \
            connect again, after a pause (close code 4100) or, with --reuse-port, at once (4200), because another server listens \
            already. Queued webhooks have five more seconds.

            With --admin-port there is a console in a browser, at /console of that port. The first start in a terminal shows its password; \
            LIFELINE_ADMIN_PASSWORD sets one. See docs/console.md.

            Every setting can also come from an environment variable (LIFELINE_PORT, LIFELINE_APP_KEY, \
            LIFELINE_APP_LIMITS_CONNECTIONS, LIFELINE_TLS_CERT, LIFELINE_PUBNUB_SECRET …) or from a JSON file. An option overrides a \
            variable, and a variable overrides the file. Several apps, keysets and chat apps are lists in the file, or in \
            LIFELINE_APPS, LIFELINE_PUBNUB and LIFELINE_NEXCONN. A list may be empty with --data or --redis, where 'lifeline apps create' \
            makes others:
              {"host": "0.0.0.0", "port": 6001, "data": "/var/lib/lifeline",
               "tls": {"cert": "server.pem", "key": "server.key"},
               "pathPrefix": "/realtime", "maxConnections": 100000,
               "activityTimeout": 30, "logLevel": "info", "bridge": false,
               "bridgeIgnoresAccessManager": false,
               "apps": [{"id": "7", "key": "…", "secret": "…",
                         "clientEvents": true, "requireTLS": true,
                         "allowedOrigins": ["https://example.com"],
                         "limits": {"connections": 5000},
                         "webhooks": [{"url": "https://example.com/hook",
                                       "events": ["channel_occupied"]}]}],
               "pubnub": [{"publishKey": "…", "subscribeKey": "…",
                           "secret": "…", "accessManager": true,
                           "pollHold": 280, "announceMaximum": 20,
                           "presenceInterval": 10}],
               "nexconn": [{"key": "…", "secret": "…", "previousSecret": "…",
                            "syncDevices": false, "presence": true,
                            "ownRecalls": false, "createOpenChannels": true,
                            "manyOpenChannels": true, "sendRate": 5,
                            "devices": 1, "openGrace": 30,
                            "tokenLifetime": 86400,
                            "webhook": "https://example.com/hook"}]}
            docs/operations/settings.md lists all settings with their ranges. Errors in the file stop the start; --check finds them before.

            On SIGHUP the server takes over changed apps, keysets, chat apps, certificates and the log level, without closing the \
            connections of those that stay. previousSecret is accepted as well while a secret is being changed. Put secrets into \
            the file or into variables: other users of this machine can see options.

            EXAMPLES
              lifeline serve
              lifeline serve --port 0
              lifeline serve --data /var/lib/lifeline
              lifeline serve --data /var/lib/lifeline --admin-port 6002
              LIFELINE_REDIS=redis://:password@10.0.0.5:6379 lifeline serve --node a
              lifeline serve --host 0.0.0.0 --tls-cert server.pem --tls-key server.key --config lifeline.json
              lifeline serve --config lifeline.json --check
            """))

    @OptionGroup(title: "Configuration") var base: ServeBaseOptions
    @OptionGroup(title: "Address and TLS") var address: ServeAddressOptions
    @OptionGroup(title: "App") var app: ServeAppOptions
    @OptionGroup(title: "PubNub") var pubnub: ServePubNubOptions
    @OptionGroup(title: "Chat") var nexconn: ServeChatOptions
    @OptionGroup(title: "Several servers") var redis: ServeRedisOptions
    @OptionGroup(title: "Bridge") var bridging: ServeBridgeOptions
    @OptionGroup(title: "Connections") var server: ServeServerOptions
    @OptionGroup(title: "Console") var admin: ServeAdminOptions
    @OptionGroup(title: "Log and traces") var log: ServeLogOptions

    @Flag(help: "Checks the configuration, prints what the server would run, and exits.")
    var check = false

    func run() async throws {
        let settings = try ServeSettings(command: self)
        if check { return await report(settings) }
        try settings.refusePublicSecrets()
        let level = ServeLogLevel(settings.logLevel)
        LoggingSystem.bootstrap { [format = settings.logFormat] label in
            ServeLogHandler(label: label, format: format, level: level)
        }
        let logger = Logger(label: "lifeline.server")
        let supervisor = ServiceSupervisor(environment: ProcessInfo.processInfo.environment, logger: logger)
        warn(about: settings, logger)
        let tracing = tracing(settings, logger)
        let registry = ReloadableApplicationRegistry(settings.applications(for: settings.services))
        // Signal handlers are installed before the server starts, because a reload signal must not end the process, and an early end has to
        // be orderly. In a container an untrapped signal would be ignored, because the first process receives only signals that it traps.
        let signals = await UnixSignalsSequence(trapping: .sighup)
        let ends = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        var configuration = settings.configuration(registry: registry, logger: logger)
        configuration.admin = try settings.adminConfiguration(logger, terminal: Self.terminal)
        let started: LifelineServer?
        do {
            started = try await start(
                configuration,
                unless: UnixSignalsSequence(trapping: .sigterm, .sigint))
        } catch {
            throw ServeFailure.explain(error, settings)
        }
        guard let server = started else { return }
        let ready = ReadyService(server: server, pathPrefix: settings.server.pathPrefix, supervisor: supervisor)
        let group = ServiceGroup(
            configuration: .init(
                services: (tracing.map { [.init(service: $0)] } ?? []) + [
                    .init(service: ready, successTerminationBehavior: .gracefullyShutdownGroup),
                    .init(
                        service: ServeReload(
                            server: server, registry: registry, signals: signals, command: self, started: settings, level: level,
                            supervisor: supervisor, address: ready.address, logger: logger
                        ),
                        successTerminationBehavior: .ignore),
                    .init(
                        service: ServeWatchdog(supervisor: supervisor, eventLoopsAnswer: server.eventLoopsAnswer),
                        successTerminationBehavior: .ignore),
                    .init(
                        service: EndService(signals: ends, supervisor: supervisor),
                        successTerminationBehavior: .gracefullyShutdownGroup),
                ],
                logger: Logger(label: "lifeline") { _ in SwiftLogNoOpLogHandler() })
        )
        try await group.run()
    }

    /// Sets up tracing, which sends spans of requests to a collector. Nil without the setting `tracesEndpoint`.
    private func tracing(_ settings: ServeSettings, _ logger: Logger) -> SpanService? {
        guard let endpoint = settings.tracesEndpoint else { return nil }
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let exporter = SpanExporter(
            eventLoop: eventLoop, logger: logger, host: ProcessInfo.processInfo.hostName, send: SpanExporter.sender(to: endpoint))
        InstrumentationSystem.bootstrap(ExportingTracer { exporter.add($0) })
        return SpanService(exporter: exporter, eventLoop: eventLoop)
    }

    /// Starts the server. Returns nil when a signal requests the end before the server is ready: a start may wait up to 30 s for Redis
    /// (rule CR-34).
    private func start(_ configuration: ServerConfiguration, unless ends: UnixSignalsSequence) async throws -> LifelineServer? {
        let (outcomes, outcome) = AsyncStream.makeStream(of: Result<LifelineServer, any Error>?.self)
        let starting = Task {
            do {
                outcome.yield(.success(try await LifelineServer.start(configuration)))
            } catch {
                outcome.yield(.failure(error))
            }
        }
        let watching = Task {
            for await _ in ends {
                outcome.yield(nil)
                return
            }
        }
        defer {
            starting.cancel()
            watching.cancel()
        }
        for await first in outcomes { return try first?.get() }
        return nil
    }

    /// Writes a line to standard error if that is a terminal; nil if standard error is a file or a pipe.
    private static var terminal: ((String) -> Void)? {
        guard isatty(STDERR_FILENO) == 1 else { return nil }
        return { line in
            // The line may contain a password, so it goes only to the terminal: logs may also be stored elsewhere.
            FileHandle.standardError.write(Data((line + "\n").utf8))
        }
    }

    private func report(_ settings: ServeSettings) async {
        let printer = LinePrinter()
        for line in ServeReport(checked: settings).lines { await printer.printNow(line) }
    }

    /// Warns about valid settings that are probably unintended, and raises the limit of file descriptors as far as the system allows.
    private func warn(about settings: ServeSettings, _ logger: Logger) {
        for variable in settings.strayVariables { logger.warning("\(variable.text)") }
        for file in settings.exposedFiles { logger.warning("\(file)") }
        for section in settings.sections where section.isOn(settings) {
            if let notice = section.notice(settings) { logger.notice("\(notice.text)", metadata: notice.metadata) }
        }
        if !settings.openServices.isEmpty {
            logger.warning(
                "other machines can reach this server, but its development credentials are public: set your own",
                metadata: ["services": "\(settings.openServices.joined(separator: ", "))"])
        }
        let connections = settings.server.maximumConnections
        let needed = OpenFileLimit.needed(for: connections)
        guard let limit = OpenFileLimit.raise(to: needed), limit < needed else { return }
        // Only a chosen `maxConnections` is worth a warning, because the default is often larger than the machine's limit.
        let isChosen = connections != ServerConfiguration().maximumConnections
        logger.log(
            level: isChosen ? .warning : .info,
            "the limit of open files is too low for maxConnections: raise LimitNOFILE or ulimit -n",
            metadata: ["limit": "\(limit)", "needed": "\(needed)"])
    }
}

/// A service that ends when a signal requests the end of the server.
private struct EndService: Service {
    let signals: UnixSignalsSequence
    let supervisor: ServiceSupervisor

    func run() async throws {
        for await _ in signals.cancelOnGracefulShutdown() {
            supervisor.notify(.stopping)
            return
        }
    }
}

/// Runs the server. Once signals are handled, prints that the server is ready.
private struct ReadyService: Service {
    let server: LifelineServer
    let pathPrefix: String
    let supervisor: ServiceSupervisor

    var address: String { "\(server.url)\(pathPrefix)" }

    func run() async throws {
        // The server runs even if this line cannot be printed.
        await LinePrinter(isRequired: false).printNow("lifeline: ready \(address)")
        supervisor.notify(.ready(status: "Accepts connections at \(address)."))
        try await server.run()
    }
}
