import ArgumentParser
import LifelineServer
import Logging
import ServiceLifecycle

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Runs a server for the clients and SDKs of Pusher and PubNub, unchanged, and for chat clients of this package.",
        discussion: """
            Without any options it serves a development app: for Pusher id 1001, key app-key, secret app-secret, for PubNub the
            keys demo and demo, for Nexconn Chat the app key app-key with the secret app-secret. These credentials are public: choose your own before others can reach the server.

            Messages are kept in memory and forgotten at the end. With --data they are kept on disk: history, channel groups, and
            what clients may still catch up with. The directory is for one server at a time.

            Prints one line when it accepts connections, such as "lifeline: ready http://127.0.0.1:6001". Logs go to standard error.
            SIGTERM and SIGINT end it in order: clients are asked to connect again elsewhere (4200), within five seconds.

            Every setting can also come from the environment or from a file; an option counts more than the environment, and that
            more than the file:
              LIFELINE_HOST, LIFELINE_PORT, LIFELINE_APP_ID, LIFELINE_APP_KEY, LIFELINE_APP_SECRET, LIFELINE_TLS_CERT,
              LIFELINE_TLS_KEY, LIFELINE_ACTIVITY_TIMEOUT, LIFELINE_LOG_LEVEL, LIFELINE_DATA,
              LIFELINE_BRIDGE (true or false),
              LIFELINE_PUBNUB_PUBLISH_KEY, LIFELINE_PUBNUB_SUBSCRIBE_KEY, LIFELINE_PUBNUB_SECRET,
              LIFELINE_PUBNUB_ACCESS_MANAGER (true or false), LIFELINE_PUBNUB_POLL_HOLD, LIFELINE_PUBNUB_ANNOUNCE_MAXIMUM,
              LIFELINE_PUBNUB_PRESENCE_INTERVAL, LIFELINE_NEXCONN_KEY, LIFELINE_NEXCONN_SECRET, LIFELINE_NEXCONN_SYNC_DEVICES
              (true or false, as the next four), LIFELINE_NEXCONN_PRESENCE, LIFELINE_NEXCONN_OWN_RECALLS,
              LIFELINE_NEXCONN_CREATE_OPEN_CHANNELS, LIFELINE_NEXCONN_MANY_OPEN_CHANNELS, LIFELINE_NEXCONN_SEND_RATE,
              LIFELINE_NEXCONN_DEVICES, LIFELINE_NEXCONN_OPEN_GRACE, LIFELINE_NEXCONN_TOKEN_LIFETIME, LIFELINE_NEXCONN_WEBHOOK
              {"host": "0.0.0.0", "port": 6001, "app": {"id": "7", "key": "…", "secret": "…"}, "tls": {"cert": "…", "key": "…"},
               "activityTimeout": 30, "logLevel": "info", "data": "/var/lib/lifeline", "bridge": false,
               "pubnub": {"publishKey": "…", "subscribeKey": "…", "secret": "…", "accessManager": true, "pollHold": 280,
                          "announceMaximum": 20, "presenceInterval": 10},
               "nexconn": {"key": "…", "secret": "…", "syncDevices": false, "presence": true, "ownRecalls": false,
                           "createOpenChannels": true, "manyOpenChannels": true, "sendRate": 5, "devices": 1,
                           "openGrace": 30, "tokenLifetime": 86400, "webhook": "https://example.com/hook"}}

            EXAMPLES
              lifeline serve
              lifeline serve --port 0
              lifeline serve --data /var/lib/lifeline
              lifeline serve --host 0.0.0.0 --tls-cert server.pem --tls-key server.key --config lifeline.json
            """)

    @Option(help: "The address to listen on; 0.0.0.0 for all (default: 127.0.0.1).")
    var host: String?

    @Option(help: "The port; 0 picks a free one (default: 6001).")
    var port: Int?

    @Option(help: "The app's number (default: 1001).")
    var appID: String?

    @Option(help: "The app's key (default: app-key).")
    var key: String?

    @Option(help: "The app's secret (default: app-secret).")
    var secret: String?

    @Option(help: ArgumentHelp("Reads settings from this JSON file.", valueName: "file"))
    var config: String?

    @Option(help: ArgumentHelp("Keeps messages in this directory, which is created if need be.", valueName: "directory"))
    var data: String?

    @Flag(
        inversion: .prefixedNo,
        help: "Whether public channels of the same name are one: Pusher's, PubNub's and open channels of chat (default: no).")
    var bridge: Bool?

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

    func run() async throws {
        let settings = try await ServeSettings(command: self)
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = settings.logLevel
            return handler
        }
        let logger = Logger(label: "lifeline.server")
        let server: LifelineServer
        do {
            server = try await LifelineServer.start(settings.configuration(logger: logger))
        } catch {
            throw ServeFailure.explain(error, settings)
        }
        let group = ServiceGroup(
            configuration: .init(
                services: [.init(service: ReadyService(server: server), successTerminationBehavior: .gracefullyShutdownGroup)],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: Logger(label: "lifeline") { _ in SwiftLogNoOpLogHandler() })
        )
        try await group.run()
    }
}

/// Says that the server is ready once signals are listened to, and runs it.
private struct ReadyService: Service {
    let server: LifelineServer

    func run() async throws {
        await LinePrinter().printNow("lifeline: ready \(server.url)")
        try await server.run()
    }
}
