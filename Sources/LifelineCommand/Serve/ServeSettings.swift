import Configuration
import LifelineServer
import Logging
import RealtimeHub

/// The settings of `lifeline serve`: options before the environment, and that before the file. Rule CL-9.
struct ServeSettings: Sendable {
    var host: String
    var port: Int
    var appID: String
    var key: String
    var secret: String
    var tls: ServerConfiguration.TLS?
    var activityTimeout: Int
    var logLevel: Logger.Level
    var keyset: Keyset
    var pollHold: Int
    var chat: ChatApplication
    /// Where messages are kept; nil for memory.
    var data: String?
    /// Whether channels of the same name are one over all services.
    var isBridged: Bool

    /// How long connections have to end; the rest of the five seconds is for everything else.
    static let drainTimeout = Duration.milliseconds(4_500)

    init(command: ServeCommand) async throws(CommandFailure) {
        let reader = try await Self.reader(file: command.config)
        host = try await Self.string(command.host, "host", in: reader) ?? "127.0.0.1"
        port = try await Self.integer(command.port, "port", in: reader) ?? 6001
        appID = try await Self.string(command.appID, "app.id", in: reader) ?? Application.development.id
        key = try await Self.string(command.key, "app.key", in: reader) ?? Application.development.key
        secret = try await Self.string(command.secret, "app.secret", in: reader) ?? "app-secret"
        activityTimeout = try await Self.integer(command.activityTimeout, "activityTimeout", in: reader) ?? 120
        let level = try await Self.string(command.logLevel, "logLevel", in: reader) ?? "notice"
        guard let known = Logger.Level(rawValue: level) else {
            let levels = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandFailure("\(level) is no log level. Choose one of \(levels).", .usage)
        }
        logLevel = known
        tls = try await Self.tls(command, reader)
        data = try await Self.string(command.data, "data", in: reader)
        isBridged = try await Self.truth(command.bridge, "bridge", in: reader) ?? false
        keyset = try await Self.keyset(command.pubnub, reader)
        chat = try await Self.chat(command.nexconn, reader)
        pollHold = try await Self.integer(command.pubnub.pubnubPollHold, "pubnub.pollHold", in: reader) ?? 280
        guard (0...65_535).contains(port) else { throw CommandFailure("A port is a number from 0 to 65535.", .usage) }
        guard (1...86_400).contains(activityTimeout) else {
            throw CommandFailure("The activity timeout is a number of seconds from 1 to 86400.", .usage)
        }
        guard (1...300).contains(pollHold) else {
            throw CommandFailure("A poll is held for 1 to 300 seconds: clients give up soon after.", .usage)
        }
        let texts = [
            ("app id", appID), ("key", key), ("secret", secret), ("publish key", keyset.publishKey),
            ("subscribe key", keyset.subscribeKey), ("secret key", keyset.secretKey.revealed), ("data directory", data ?? "none"),
            ("chat key", chat.key), ("chat secret", chat.secret.revealed),
        ]
        for (name, value) in texts where value.isEmpty {
            throw CommandFailure("The \(name) must not be empty.", .usage)
        }
    }

    func configuration(logger: Logger) -> ServerConfiguration {
        var app = Application.development
        app.id = appID
        app.key = key
        app.secret = Secret(secret)
        return ServerConfiguration(
            host: host, port: port, applications: InMemoryApplicationRegistry([app]), keysets: [keyset], chatApplications: [chat],
            bridge: isBridged ? Bridge(applicationID: appID, subscribeKey: keyset.subscribeKey, chatKey: chat.key) : nil,
            dataDirectory: data, tls: tls, activityTimeout: .seconds(activityTimeout), pollHold: .seconds(pollHold),
            drainTimeout: Self.drainTimeout, logger: logger)
    }

    private static func keyset(
        _ options: ServePubNubOptions, _ reader: ConfigReader
    ) async throws(CommandFailure) -> Keyset {
        var keyset = Keyset.development
        keyset.publishKey = try await string(options.pubnubPublishKey, "pubnub.publishKey", in: reader) ?? keyset.publishKey
        keyset.subscribeKey =
            try await string(options.pubnubSubscribeKey, "pubnub.subscribeKey", in: reader) ?? keyset.subscribeKey
        if let secret = try await string(options.pubnubSecret, "pubnub.secret", in: reader) { keyset.secretKey = Secret(secret) }
        keyset.requiresGrants = try await truth(options.pubnubAccessManager, "pubnub.accessManager", in: reader) ?? false
        keyset.announceMaximum =
            try await integer(options.pubnubAnnounceMaximum, "pubnub.announceMaximum", in: reader) ?? keyset.announceMaximum
        guard keyset.announceMaximum >= 0 else { throw CommandFailure("The announce maximum is not negative.", .usage) }
        if let seconds = try await integer(options.pubnubPresenceInterval, "pubnub.presenceInterval", in: reader) {
            guard (1...3600).contains(seconds) else {
                throw CommandFailure("The presence interval is a number of seconds from 1 to 3600.", .usage)
            }
            keyset.presenceInterval = .seconds(seconds)
        }
        return keyset
    }

    private static func tls(
        _ command: ServeCommand, _ reader: ConfigReader
    ) async throws(CommandFailure) -> ServerConfiguration.TLS? {
        let certificate = try await string(command.tlsCert, "tls.cert", in: reader)
        let key = try await string(command.tlsKey, "tls.key", in: reader)
        switch (certificate, key) {
        case (nil, nil): return nil
        case (let certificate?, let key?): return .init(certificateFile: certificate, privateKeyFile: key)
        default: throw CommandFailure("TLS needs both: --tls-cert and --tls-key.", .usage)
        }
    }
}

// Where settings come from.
extension ServeSettings {
    private static func reader(file: String?) async throws(CommandFailure) -> ConfigReader {
        var providers: [any ConfigProvider] = [EnvironmentVariablesProvider().prefixKeys(with: "lifeline")]
        if let file {
            do {
                providers.append(try await FileProvider<JSONSnapshot>(filePath: .init(file)))
            } catch {
                throw CommandFailure("The configuration file \(file) cannot be read: it has to exist and to be JSON.")
            }
        }
        return ConfigReader(providers: providers)
    }

    static func string(
        _ option: String?, _ key: ConfigKey, in reader: ConfigReader
    ) async throws(CommandFailure) -> String? {
        if let option { return option }
        do {
            return try await reader.fetchString(forKey: key, isSecret: true)
        } catch {
            throw CommandFailure("The setting \(key) has to be text.", .usage)
        }
    }

    static func integer(
        _ option: Int?, _ key: ConfigKey, in reader: ConfigReader
    ) async throws(CommandFailure) -> Int? {
        if let option { return option }
        do {
            return try await reader.fetchInt(forKey: key)
        } catch {
            throw CommandFailure("The setting \(key) has to be a whole number.", .usage)
        }
    }

    static func truth(
        _ option: Bool?, _ key: ConfigKey, in reader: ConfigReader
    ) async throws(CommandFailure) -> Bool? {
        if let option { return option }
        do {
            return try await reader.fetchBool(forKey: key)
        } catch {
            throw CommandFailure("The setting \(key) has to be true or false.", .usage)
        }
    }
}
