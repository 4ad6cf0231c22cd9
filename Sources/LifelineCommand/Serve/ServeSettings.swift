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
    var logFormat: ServeLogFormat
    /// Where traces are sent; nil for nowhere.
    var tracesEndpoint: String?
    /// At least one of each, also when the service is switched off.
    var keysets: [Keyset]
    var chatApplications: [ChatApplication]
    /// Where messages are kept; nil for memory.
    var data: String?
    /// The Redis that is shared with other servers; nil for none.
    var redis: RedisConfiguration?
    /// The port for the console and figures; nil for none.
    var admin: AdminSettings?
    /// Whether channels of the same name are one over all services.
    var isBridged: Bool
    /// Whether that may be although PubNub's access manager is on.
    var bridgeIgnoresAccessManager: Bool
    /// Whether the development secrets may be used where others can reach the server.
    var allowsPublicSecrets: Bool
    /// When the certificate ends, in seconds since 1970; nil without `--check` or TLS.
    private(set) var certificateEnd: Int?
    /// Variables that look like settings and are none.
    var strayVariables: [StrayVariable]
    /// Files with secrets that every user of this machine may read, as sentences (rule SO-100).
    var exposedFiles: [String]

    /// How long connections have to end; the rest of the five seconds is for everything else.
    static let drainTimeout = Duration.milliseconds(4_500)

    /// - Throws: everything that is wrong, at once (rule SO-90).
    init(
        command: ServeCommand, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(CommandFailure) {
        try self.init(command.options, isCheck: command.check, environment: environment)
    }

    /// - Parameters:
    ///   - isCheck: whether to find out as well what a server finds out when it starts.
    ///   - trace: is told where each setting of the whole server comes from.
    /// - Throws: everything that is wrong, at once (rule SO-90).
    init(
        _ options: ServeOptions, isCheck: Bool = false, environment: [String: String] = ProcessInfo.processInfo.environment,
        trace: SettingTrace? = nil
    ) throws(CommandFailure) {
        var problems = SettingProblems()
        let file =
            problems.attempt { () throws(CommandFailure) in try Self.file(options.base.config, environment) } ?? SettingsFile()
        let sources = SettingSources(environment: environment, file: file, trace: trace)
        strayVariables = StrayVariable.all(in: environment)
        if let failure = file.failure { problems.add(failure) }
        let servicesAreKnown = problems.isEmpty
        applications =
            problems.attempt { () throws(CommandFailure) in try Self.applications(options.app, environment, file) } ?? []
        services =
            problems.attempt { () throws(CommandFailure) in try Self.services(options.base.services, sources) }
            ?? Set(ServiceName.allCases)
        keysets = problems.attempt { () throws(CommandFailure) in try Self.keysets(options.pubnub, environment, file) } ?? []
        chatApplications =
            problems.attempt { () throws(CommandFailure) in try Self.chatApplications(options.nexconn, environment, file) } ?? []
        let hasServices = servicesAreKnown && problems.isEmpty
        server = Self.server(options.server, sources, &problems)
        host =
            problems.attempt { () throws(CommandFailure) in try Self.host(sources.value("host", ("--host", options.address.host)))
            } ?? ""
        port =
            problems.attempt { () throws(CommandFailure) in
                try sources.number("port", 0...65_535, ("--port", options.address.port))
            }
            .flatMap(\.self) ?? 6001
        activityTimeout =
            problems.attempt { () throws(CommandFailure) in
                try sources.number(
                    "activityTimeout", 1...86_400, unit: ", in seconds", ("--activity-timeout", options.server.activityTimeout))
            }.flatMap(\.self) ?? 120
        logLevel = problems.attempt { () throws(CommandFailure) in try Self.logLevel(options.log.logLevel, sources) } ?? .notice
        logFormat = problems.attempt { () throws(CommandFailure) in try Self.logFormat(options.log.logFormat, sources) } ?? .text
        tracesEndpoint = problems.attempt { () throws(CommandFailure) in try Self.tracesEndpoint(options.log, sources) }
            .flatMap(\.self)
        tls = problems.attempt { () throws(CommandFailure) in try Self.tls(options.address, sources) }.flatMap(\.self)
        exposedFiles = file.exposure.map { [$0] } ?? []
        if let key = tls?.privateKeyFile, FileContent.isReadableByAll(key) {
            exposedFiles.append("the file of the private key (tls.key) can be read by every user of this machine; use chmod o-r")
        }
        data =
            problems.attempt { () throws(CommandFailure) in try sources.string("data", ("--data", options.base.data)) }.flatMap(
                \.self)
        redis = problems.attempt { () throws(CommandFailure) in try Self.redis(options.redis, sources) }.flatMap(\.self)
        admin = problems.attempt { () throws(CommandFailure) in try Self.admin(options.admin, sources) }.flatMap(\.self)
        allowsPublicSecrets = Self.truth("allowPublicSecrets", options.server.allowPublicSecrets, sources, &problems)
        isBridged = Self.truth("bridge", options.bridging.bridge, sources, &problems)
        bridgeIgnoresAccessManager = Self.truth(
            "bridgeIgnoresAccessManager", options.bridging.bridgeIgnoresAccessManager, sources, &problems)
        checkTogether(hasServices, &problems)
        if isCheck {
            // A server finds these out when it starts.
            if hasServices, !host.isEmpty {
                _ = problems.attempt { () throws(CommandFailure) in try refusePublicSecrets() }
            }
            certificateEnd = problems.attempt { () throws(CommandFailure) in try Self.certificateEnd(tls) }.flatMap(\.self)
        }
        try problems.check()
    }

    /// Settings that are right alone and wrong beside each other.
    private func checkTogether(_ hasServices: Bool, _ problems: inout SettingProblems) {
        func refuse(_ isWrong: Bool, _ text: String) {
            if isWrong { problems.add(CommandFailure(text, .usage)) }
        }
        refuse(
            redis != nil && data != nil,
            "With redis everything is kept in Redis: leave data out, or leave redis out for a server of its own.")
        refuse(
            port != 0 && admin?.port == port,
            "The admin port needs a port of its own: adminPort and port are both \(port).")
        refuse(redis != nil && isBridged, "The bridge works within one server only: leave bridge or redis out.")
        guard hasServices else { return }
        refuse(isBridged && services.count < 2, "A bridge needs two services at least, and services names one.")
        refuse(
            isBridged && !bridgeIgnoresAccessManager && services.contains(.pubnub) && keysets.first?.requiresGrants == true,
            "The bridge asks for no grants: with bridge and pubnub.accessManager, everybody who may use the other services reads "
                + "and writes PubNub's public channels. Switch one of them off, or allow it with bridgeIgnoresAccessManager.")
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

    static func file(
        _ option: String?, _ environment: [String: String]
    ) throws(CommandFailure) -> SettingsFile {
        let variable = SettingNames.variable("config")
        let value =
            option.map { SettingValue("--config", text: $0) } ?? environment[variable].map { SettingValue(variable, text: $0) }
        return if let value { try SettingsFile(path: value.string()) } else { SettingsFile() }
    }

    private static func logLevel(_ option: String?, _ sources: SettingSources) throws(CommandFailure) -> Logger.Level {
        guard let value = sources.value("logLevel", ("--log-level", option)) else { return .notice }
        guard let level = Logger.Level(rawValue: try value.string()) else {
            throw value.wrong("one of " + Logger.Level.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return level
    }

    private static func logFormat(_ option: String?, _ sources: SettingSources) throws(CommandFailure) -> ServeLogFormat {
        guard let value = sources.value("logFormat", ("--log-format", option)) else { return .text }
        guard let format = ServeLogFormat(rawValue: try value.string()) else {
            throw value.wrong("one of " + ServeLogFormat.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return format
    }

    private static func truth(
        _ name: String, _ flag: Bool?, _ sources: SettingSources, _ problems: inout SettingProblems
    ) -> Bool {
        problems.attempt { () throws(CommandFailure) in try sources.truth(name, flag) }.flatMap(\.self) ?? false
    }

    /// Seconds.
    static let defaultCheckInterval = 10

    private static func tls(
        _ options: ServeAddressOptions, _ sources: SettingSources
    ) throws(CommandFailure) -> ServerConfiguration.TLS? {
        let certificate = sources.value("tls.cert", ("--tls-cert", options.tlsCert))?.confidential
        let key = sources.value("tls.key", ("--tls-key", options.tlsKey))?.confidential
        switch (certificate, key) {
        case (nil, nil): return nil
        case (let certificate?, let key?):
            let interval = try sources.number("tls.checkInterval", 0...86_400) ?? defaultCheckInterval
            return .init(
                certificateFile: try certificate.string(), privateKeyFile: try key.string(),
                checkInterval: interval == 0 ? nil : .seconds(interval))
        case (let one?, nil):
            throw one.failure("is alone. TLS needs the key, too: --tls-key, LIFELINE_TLS_KEY, or tls.key in the file.")
        case (nil, let one?):
            throw one.failure("is alone. TLS needs the certificate, too: --tls-cert, LIFELINE_TLS_CERT, or tls.cert in the file.")
        }
    }

    private static func certificateEnd(_ tls: ServerConfiguration.TLS?) throws(CommandFailure) -> Int? {
        do throws(CertificateError) {
            return try tls?.check()
        } catch {
            throw ServeFailure.certificate(error)
        }
    }
}
