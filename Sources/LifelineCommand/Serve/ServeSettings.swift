import Configuration
import Foundation
import LifelineServer
import Logging
import RealtimeHub

/// The settings of `lifeline serve`: options before the environment, and that before the file. Rule CL-9.
struct ServeSettings: Sendable {
    var host: String
    var port: Int
    /// At least one, also when Pusher is switched off.
    var applications: [Application]
    /// The services that run. At least one.
    var services: Set<ServiceName>
    /// What concerns the server as a whole; not its address, applications, certificate and logger.
    var server: ServerConfiguration
    var tls: ServerConfiguration.TLS?
    var activityTimeout: Int
    var logLevel: Logger.Level
    /// At least one of each, also when the service is switched off.
    var keysets: [Keyset]
    var chatApplications: [ChatApplication]
    /// Where messages are kept; nil for memory.
    var data: String?
    /// The Redis that is shared with other servers; nil for none.
    var redis: RedisConfiguration?
    /// Whether channels of the same name are one over all services.
    var isBridged: Bool
    /// Whether that may be although PubNub's access manager is on.
    var bridgeIgnoresAccessManager: Bool
    /// Whether the development secrets may be used where others can reach the server.
    var allowsPublicSecrets: Bool
    /// Variables that look like settings and are none.
    var strayVariables: [String]

    /// How long connections have to end; the rest of the five seconds is for everything else.
    static let drainTimeout = Duration.milliseconds(4_500)

    init(
        command: ServeCommand, environment: [String: String] = ProcessInfo.processInfo.environment
    ) async throws(CommandFailure) {
        let file: SettingsFile
        if let path = command.config ?? environment["LIFELINE_CONFIG"] {
            if path.isEmpty { throw CommandFailure("The name of the configuration file must not be empty.", .usage) }
            file = try SettingsFile(path: path)
        } else {
            file = SettingsFile()
        }
        let reader = Self.reader(file, environment)
        strayVariables = Self.strayVariables(environment)
        applications = try Self.applications(command.app, environment, file)
        services = try await Self.services(command.services, reader)
        server = try await Self.server(command.server, reader)
        host = try Self.host(try await Self.string(command.host, "host", in: reader) ?? "127.0.0.1")
        port = try await Self.number(command.port, "port", 0...65_535, in: reader) ?? 6001
        activityTimeout =
            try await Self.number(command.activityTimeout, "activityTimeout", 1...86_400, unit: ", in seconds", in: reader) ?? 120
        let level = try await Self.string(command.logLevel, "logLevel", in: reader) ?? "notice"
        guard let known = Logger.Level(rawValue: level) else {
            let levels = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandFailure("\(level) is not a log level. Choose one of \(levels).", .usage)
        }
        logLevel = known
        tls = try await Self.tls(command, reader)
        data = try await Self.string(command.data, "data", in: reader)
        redis = try await Self.redis(command.redis, reader)
        allowsPublicSecrets = try await Self.truth(command.server.allowPublicSecrets, "allowPublicSecrets", in: reader) ?? false
        isBridged = try await Self.truth(command.bridge, "bridge", in: reader) ?? false
        bridgeIgnoresAccessManager =
            try await Self.truth(command.bridgeIgnoresAccessManager, "bridgeIgnoresAccessManager", in: reader) ?? false
        keysets = try Self.keysets(command.pubnub, environment, file)
        chatApplications = try Self.chatApplications(command.nexconn, environment, file)
        if redis != nil, data != nil {
            throw CommandFailure(
                "With redis everything is kept in Redis: leave data out, or leave redis out for a server of its own.", .usage)
        }
        if redis != nil, isBridged {
            throw CommandFailure("The bridge works within one server only: leave bridge or redis out.", .usage)
        }
        if isBridged, services.count < 2 {
            throw CommandFailure("A bridge needs two services at least, and services names one.", .usage)
        }
        if isBridged, !bridgeIgnoresAccessManager, services.contains(.pubnub), keysets.first?.requiresGrants == true {
            throw CommandFailure(
                "The bridge asks for no grants: with bridge and pubnub.accessManager, everybody who may use the other services reads "
                    + "and writes PubNub's public channels. Switch one of them off, or allow it with bridgeIgnoresAccessManager.",
                .usage)
        }
    }

    func configuration(registry: any ApplicationRegistry, logger: Logger) -> ServerConfiguration {
        var configuration = server
        configuration.host = host
        configuration.port = port
        configuration.applications = registry
        // What has no key that anybody could know is switched off.
        configuration.keysets = keysets(for: services)
        configuration.chatApplications = chatApplications(for: services)
        if isBridged {
            configuration.bridge = Bridge(
                applicationID: services.contains(.pusher) ? applications.first?.id : nil,
                subscribeKey: configuration.keysets.first?.subscribeKey, chatKey: configuration.chatApplications.first?.key,
                ignoresAccessManager: bridgeIgnoresAccessManager)
        }
        configuration.dataDirectory = data
        configuration.redis = redis
        configuration.tls = tls
        configuration.activityTimeout = .seconds(activityTimeout)
        configuration.logger = logger
        return configuration
    }

    /// The applications for Pusher's clients while these services run.
    func applications(for services: Set<ServiceName>) -> [Application] {
        services.contains(.pusher) ? applications : []
    }

    /// The keysets while these services run.
    func keysets(for services: Set<ServiceName>) -> [Keyset] {
        services.contains(.pubnub) ? keysets : []
    }

    /// The chat applications while these services run.
    func chatApplications(for services: Set<ServiceName>) -> [ChatApplication] {
        services.contains(.nexconn) ? chatApplications : []
    }

    private static func tls(
        _ command: ServeCommand, _ reader: ConfigReader
    ) async throws(CommandFailure) -> ServerConfiguration.TLS? {
        let certificate = try await string(command.tlsCert, "tls.cert", in: reader)
        let key = try await string(command.tlsKey, "tls.key", in: reader)
        switch (certificate, key) {
        case (nil, nil): return nil
        case (let certificate?, let key?):
            let interval = try await number(nil, "tls.checkInterval", 0...86_400, in: reader) ?? 10
            return .init(
                certificateFile: certificate, privateKeyFile: key, checkInterval: interval == 0 ? nil : .seconds(interval))
        default: throw CommandFailure("TLS needs both: --tls-cert and --tls-key.", .usage)
        }
    }
}

// Where settings come from.
extension ServeSettings {
    private static func reader(_ file: SettingsFile, _ environment: [String: String]) -> ConfigReader {
        ConfigReader(providers: [
            EnvironmentVariablesProvider(environmentVariables: environment).prefixKeys(with: "lifeline"),
            InMemoryProvider(name: "file", values: file.values),
        ])
    }

    static func string(
        _ option: String?, _ key: ConfigKey, in reader: ConfigReader
    ) async throws(CommandFailure) -> String? {
        let found: String?
        do {
            found = if let option { option } else { try await reader.fetchString(forKey: key, isSecret: true) }
        } catch {
            throw CommandFailure("The setting \(key) must be a string.", .usage)
        }
        // A variable that got lost on the way is empty: a default in its place could be what everybody knows.
        if found?.isEmpty == true, key != "pathPrefix" {
            throw CommandFailure("The setting \(key) must not be empty.", .usage)
        }
        return found
    }

    static func truth(
        _ option: Bool?, _ key: ConfigKey, in reader: ConfigReader
    ) async throws(CommandFailure) -> Bool? {
        if let option { return option }
        do {
            return try await reader.fetchBool(forKey: key)
        } catch {
            throw CommandFailure("The setting \(key) must be true or false.", .usage)
        }
    }

    static func number(
        _ option: Int?, _ key: ConfigKey, _ range: ClosedRange<Int>, unit: String = "", in reader: ConfigReader
    ) async throws(CommandFailure) -> Int? {
        let failure = CommandFailure(
            "The setting \(key) (\(SettingNames.variable("\(key)"))) must be an integer from \(range.lowerBound) to "
                + "\(range.upperBound)\(unit).", .usage)
        var number = option
        if number == nil {
            do { number = try await reader.fetchInt(forKey: key) } catch { throw failure }
        }
        if let number, !range.contains(number) { throw failure }
        return number
    }
}
