import ArgumentParser
import LifelineServer
import Logging
import ServiceLifecycle
import UnixSignals

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Runs a server for the clients and SDKs of Pusher and PubNub, unchanged, and for chat clients of this package.",
        discussion: """
            Without any options it serves a development app: for Pusher id 1001, key app-key, secret app-secret, for PubNub the
            keys demo and demo, for Nexconn Chat the app key app-key with the secret app-secret. These credentials are public: choose your own before others can reach the server.

            Messages are kept in memory and forgotten at the end. With --data they are kept on disk: history, channel groups, and
            what clients may still catch up with. The directory is for one server at a time.

            With --redis several servers are one: everything that clients see is the same on each of them, behind any load balancer.
            See docs/cluster.md.

            Prints one line when it accepts connections, such as "lifeline: ready http://127.0.0.1:6001". Logs go to standard error.
            SIGTERM and SIGINT end it in order: within five seconds clients are asked, one after the other, to connect again: after a
            pause (4100), or at once (4200) with --reuse-port, where another server listens already. Webhooks that wait have five more.

            Every setting can also come from the environment (LIFELINE_PORT, LIFELINE_APP_KEY, LIFELINE_APP_LIMITS_CONNECTIONS,
            LIFELINE_TLS_CERT, LIFELINE_PUBNUB_SECRET …) or from a file; an option counts more than the environment, and that more
            than the file. The file is JSON; several apps, keysets and chat apps are lists there, or in LIFELINE_APPS,
            LIFELINE_PUBNUB and LIFELINE_NEXCONN:
              {"host": "0.0.0.0", "port": 6001, "tls": {"cert": "server.pem", "key": "server.key"}, "data": "/var/lib/lifeline",
               "pathPrefix": "/realtime", "maxConnections": 100000, "activityTimeout": 30, "logLevel": "info", "bridge": false,
               "bridgeIgnoresAccessManager": false,
               "apps": [{"id": "7", "key": "…", "secret": "…", "clientEvents": true, "requireTLS": true,
                         "allowedOrigins": ["https://example.com"], "limits": {"connections": 5000},
                         "webhooks": [{"url": "https://example.com/hook", "events": ["channel_occupied"]}]}],
               "pubnub": [{"publishKey": "…", "subscribeKey": "…", "secret": "…", "accessManager": true, "pollHold": 280,
                           "announceMaximum": 20, "presenceInterval": 10}],
               "nexconn": [{"key": "…", "secret": "…", "previousSecret": "…", "syncDevices": false, "presence": true,
                            "ownRecalls": false, "createOpenChannels": true, "manyOpenChannels": true, "sendRate": 5,
                            "devices": 1, "openGrace": 30, "tokenLifetime": 86400, "webhook": "https://example.com/hook"}]}
            All settings with their ranges are in docs/operations.md. What the file gets wrong is an error: see --check.

            SIGHUP takes over changed apps, keysets and chat apps, and a changed certificate, without closing the connections of
            those that stay. While a secret is changed the old one is accepted as previousSecret. Secrets are better in the file or
            in variables than in options, which others on this machine may see.

            EXAMPLES
              lifeline serve
              lifeline serve --port 0
              lifeline serve --data /var/lib/lifeline
              LIFELINE_REDIS=redis://:password@10.0.0.5:6379 lifeline serve --node a
              lifeline serve --host 0.0.0.0 --tls-cert server.pem --tls-key server.key --config lifeline.json
              lifeline serve --config lifeline.json --check
            """)

    @Option(help: "The address to listen on; 0.0.0.0 for all (default: 127.0.0.1).")
    var host: String?

    @Option(help: "The port; 0 picks a free one (default: 6001).")
    var port: Int?

    @Option(
        help: ArgumentHelp(
            "The services that run: pusher, pubnub and nexconn, with commas between (default: all).", valueName: "names"))
    var services: String?

    @OptionGroup(title: "App") var app: ServeAppOptions

    @Option(help: ArgumentHelp("Reads settings from this JSON file; also LIFELINE_CONFIG.", valueName: "file"))
    var config: String?

    @Option(help: ArgumentHelp("Keeps messages in this directory, which is created if need be.", valueName: "directory"))
    var data: String?

    @OptionGroup(title: "Several servers") var redis: ServeRedisOptions

    @Flag(
        inversion: .prefixedNo,
        help: "Whether public channels of the same name are one: Pusher's, PubNub's and open channels of chat (default: no).")
    var bridge: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: "Whether the bridge may open channels that PubNub's access manager guards to everybody (default: no).")
    var bridgeIgnoresAccessManager: Bool?

    @OptionGroup(title: "Server") var server: ServeServerOptions

    @OptionGroup(title: "PubNub") var pubnub: ServePubNubOptions

    @OptionGroup(title: "Nexconn Chat") var nexconn: ServeNexconnOptions

    @Option(help: ArgumentHelp("A certificate chain (PEM) for TLS.", valueName: "file"))
    var tlsCert: String?

    @Option(help: ArgumentHelp("The certificate's private key (PEM).", valueName: "file"))
    var tlsKey: String?

    @Option(help: ArgumentHelp("After this much silence clients probe the connection (default: 120).", valueName: "seconds"))
    var activityTimeout: Int?

    @Option(help: "trace, debug, info, notice, warning, error or critical (default: notice).")
    var logLevel: String?

    @Flag(help: "Only says whether the configuration is valid, and what would run.")
    var check = false

    func run() async throws {
        let settings = try await ServeSettings(command: self)
        try settings.refusePublicSecrets()
        if check { return try await report(settings) }
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = settings.logLevel
            return handler
        }
        let logger = Logger(label: "lifeline.server")
        warn(about: settings, logger)
        let registry = ReloadableApplicationRegistry(settings.applications(for: settings.services))
        // Before anybody can know that the server is there: an early reload must not end it, and an early end is one in order. In a
        // container it would otherwise be lost, since there the system ends the first process for a signal only when it is trapped.
        let signals = await UnixSignalsSequence(trapping: .sighup)
        let ends = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        let server: LifelineServer
        do {
            server = try await LifelineServer.start(settings.configuration(registry: registry, logger: logger))
        } catch {
            throw ServeFailure.explain(error, settings)
        }
        let group = ServiceGroup(
            configuration: .init(
                services: [
                    .init(
                        service: ReadyService(server: server, pathPrefix: settings.server.pathPrefix),
                        successTerminationBehavior: .gracefullyShutdownGroup),
                    .init(
                        service: ServeReload(
                            server: server, registry: registry, signals: signals, command: self, started: settings, logger: logger
                        ),
                        successTerminationBehavior: .ignore),
                    .init(service: EndService(signals: ends), successTerminationBehavior: .gracefullyShutdownGroup),
                ],
                logger: Logger(label: "lifeline") { _ in SwiftLogNoOpLogHandler() })
        )
        try await group.run()
    }

    private func report(_ settings: ServeSettings) async throws {
        var report = ServeReport(settings: settings, openFiles: OpenFileLimit.highest)
        do throws(CertificateError) {
            if let tls = settings.tls { report.daysLeft = (try tls.check() - ServerClock.system.unixSeconds()) / 86_400 }
        } catch {
            throw CommandFailure("\(error) tls.cert and tls.key name PEM files that belong together.", .usage)
        }
        let printer = LinePrinter()
        for line in report.lines { await printer.printNow(line) }
    }

    /// Says what works and is probably not meant so; gets as many file descriptors as the system gives.
    private func warn(about settings: ServeSettings, _ logger: Logger) {
        for variable in settings.strayVariables { logger.warning("the variable \(variable) is no setting") }
        if !settings.openServices.isEmpty {
            logger.warning(
                "others can reach this server, and its development credentials are public",
                metadata: ["services": "\(settings.openServices.joined(separator: ", "))"])
        }
        let connections = settings.server.maximumConnections
        let needed = OpenFileLimit.needed(for: connections)
        guard let limit = OpenFileLimit.raise(to: needed), limit < needed else { return }
        // Nobody has to care about a default that is larger than the machine.
        let isChosen = connections != ServerConfiguration().maximumConnections
        logger.log(
            level: isChosen ? .warning : .info, "fewer files may be open than maxConnections needs",
            metadata: ["limit": "\(limit)", "needed": "\(needed)"])
    }
}

/// Ends with the first signal that asks for it.
private struct EndService: Service {
    let signals: UnixSignalsSequence

    func run() async throws {
        for await _ in signals.cancelOnGracefulShutdown() { return }
    }
}

/// Says that the server is ready once signals are listened to, and runs it.
private struct ReadyService: Service {
    let server: LifelineServer
    let pathPrefix: String

    func run() async throws {
        await LinePrinter().printNow("lifeline: ready \(server.url)\(pathPrefix)")
        try await server.run()
    }
}
