import Foundation
import LifelineServer
import Logging
import ServerRuntime
import ServerStorage

/// The settings of `lifeline serve`. Options have precedence over environment variables, and variables over the file (rule CL-9).
struct ServeSettings: Sendable {
    var host = "127.0.0.1"
    var port = 6001
    /// The Pusher applications of the configuration, also when Pusher is switched off. Empty only if the configured list is empty.
    var applications: [Application] = []
    /// The services that run: at least one.
    var services = Set(ServiceKind.allCases)
    /// The settings of the server as a whole, without its address, applications, certificate and logger.
    var server = ServerConfiguration(drainTimeout: Self.drainTimeout)
    var tlsParts = TLSParts()
    var tls: ServerConfiguration.TLS?
    var activityTimeout = 120
    var logLevel = Logger.Level.notice
    var logFormat = ServeLogFormat.text
    /// The address of the collector of traces; nil for none.
    var tracesEndpoint: String?
    /// The keysets of the configuration, also when PubNub is switched off.
    var keysets: [Keyset] = []
    var chatApplications: [ChatApplication] = []
    /// The configured lists of applications that have no element.
    var emptyLists: [EmptyList] = []
    /// The settings of services that further modules declare.
    var others: [ServiceName: any Sendable] = [:]
    private(set) var modules = ServeSection.modules
    /// The settings sections of the services, in the order in which they are read and shown.
    private(set) var sections = ServeSection.all
    /// The directory for messages, or the address of a PostgreSQL database; nil for memory.
    var data: String?
    /// The settings of the data store in addition to `data`: password file, directory of uploaded files, connections.
    var dataParts = DataParts()
    var redisParts = RedisParts()
    /// The Redis that is shared with other servers; nil for none.
    var redis: RedisConfiguration?
    var adminPort: Int?
    /// The settings of the admin port except the port itself, which is ``adminPort``.
    var adminParts = AdminSettings(port: 0)
    /// The checked settings of the admin port, for the console and metrics; nil for none.
    var admin: AdminSettings?
    /// The key with which applications made at run time are encrypted in the store; nil for none.
    var applicationsKey: Secret?
    /// The largest number of applications made at run time.
    var maxApplications = 1_000
    /// Whether channels with the same name are one channel in all services.
    var isBridged = false
    /// Whether the bridge is permitted although PubNub's access manager is on.
    var bridgeIgnoresAccessManager = false
    /// Whether the published development secrets are permitted on a server that other machines can reach.
    var allowsPublicSecrets = false
    /// When the certificate expires, in seconds since 1970; nil without `--check` or TLS.
    private(set) var certificateEnd: Int?
    /// Environment variables that begin like variables of settings but belong to no setting.
    var strayVariables: [StrayVariable] = []
    /// Files with secrets that every user of this machine may read, as sentences (rule SO-100).
    var exposedFiles: [String] = []

    /// The default time limit for closing connections when the server stops: 4.5 s. A stop takes at most five seconds; the remaining 0.5 s
    /// are for all other work.
    static let drainTimeout = Duration.milliseconds(4_500)

    /// The defaults, without any application.
    init() {}

    /// Reads the settings of a `serve` command.
    ///
    /// - Throws: all errors of the settings at once (rule SO-90).
    init(
        command: ServeCommand, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(CommandFailure) {
        try self.init(command.options, isCheck: command.check, environment: environment)
    }

    /// - Parameters:
    ///   - isCheck: whether the settings are only checked and no server starts. If so, public secrets and the certificate are checked
    ///     here; otherwise the server checks them when it starts.
    ///   - trace: records the source of each setting of the whole server.
    ///   - modules: the modules of the services.
    /// - Throws: all errors of the settings at once (rule SO-90).
    init(
        _ options: ServeOptions, isCheck: Bool = false, environment: [String: String] = ProcessInfo.processInfo.environment,
        trace: SettingTrace? = nil, modules: [any ServiceModule] = ServeSection.modules
    ) throws(CommandFailure) {
        var problems = SettingProblems()
        let sections = ServeSection.all(modules)
        let file =
            problems.attempt { () throws(CommandFailure) in
                try Self.file(options.base.config, environment: environment, sections: sections)
            }
            ?? SettingsFile()
        self.modules = modules
        self.sections = sections
        strayVariables = StrayVariable.all(in: environment, known: ServerSetting.variables(sections))
        if let failure = file.failure { problems.add(failure) }
        let services = SectionSources(options: options, environment: environment, file: file)
        for section in sections {
            do throws(CommandFailure) { try section.read(services, &self) } catch { problems.add(error) }
        }
        let areApplicationsRight = problems.isEmpty
        let sources = SettingSources(options: options, environment: environment, file: file, trace: trace)
        let given = read(ServerSetting.all, from: sources, &problems)
        join(given, &problems)
        exposedFiles = file.exposure.map { [$0] } ?? []
        if let key = tls?.privateKeyFile, FileContent.isReadableByAll(key) {
            exposedFiles.append("the file of the private key (tls.key) can be read by every user of this machine; use chmod o-r")
        }
        let hasServices = areApplicationsRight && !given.wrong.contains(ServerSetting.services.name)
        checkTogether(hasServices, &problems)
        if isCheck {
            // Without `isCheck`, the server checks the following conditions when it starts.
            if hasServices, !given.wrong.contains(ServerSetting.host.name) {
                _ = problems.attempt { () throws(CommandFailure) in try refusePublicSecrets() }
            }
            certificateEnd = problems.attempt { () throws(CommandFailure) in try Self.certificateEnd(tls) }.flatMap(\.self)
        }
        try problems.check()
    }

    /// Applies all given values to these settings.
    private mutating func read(
        _ all: [ServerSetting], from sources: SettingSources, _ problems: inout SettingProblems
    ) -> GivenSettings {
        var given = GivenSettings()
        for setting in all {
            guard let value = sources.value(setting) else { continue }
            given.values[setting.name] = value
            do throws(CommandFailure) {
                try setting.set(value, &self)
            } catch {
                given.wrong.insert(setting.name)
                problems.add(error)
            }
        }
        return given
    }

    /// Computes the values that depend on several settings: TLS, Redis and the admin port.
    private mutating func join(_ given: GivenSettings, _ problems: inout SettingProblems) {
        let parts = (tlsParts, redisParts)
        tls = problems.attempt { () throws(CommandFailure) in try Self.tls(parts.0, given) }.flatMap(\.self)
        redis = problems.attempt { () throws(CommandFailure) in try Self.redis(parts.1, given) }.flatMap(\.self)
        do throws(CommandFailure) {
            admin = try admin(given)
        } catch {
            problems.add(error)
        }
    }

    /// Reports settings that are valid alone and contradict each other.
    private func checkTogether(_ hasServices: Bool, _ problems: inout SettingProblems) {
        func refuse(_ isWrong: Bool, _ text: String) {
            if isWrong { problems.add(CommandFailure(text, .usage)) }
        }
        refuse(
            redis != nil && data != nil && !usesDatabase,
            "Several servers cannot share a directory: with redis, the setting data must be the address of a PostgreSQL "
                + "database (postgres://…). Or leave data out, so that everything is stored in Redis.")
        checkDatabase(hasServices, &problems)
        refuse(
            port != 0 && admin?.port == port,
            "The admin port needs a port of its own, but adminPort and port are both \(port). Change one of them.")
        refuse(
            redis != nil && isBridged,
            "The bridge works only within one server, but redis connects several: leave bridge or redis out.")
        guard hasServices else { return }
        checkEmptyLists(&problems)
        refuse(
            isBridged && services.count < 2,
            "A bridge needs at least two services, but the setting services names only one. Name another service, or leave bridge out."
        )
        refuse(
            isBridged && !bridgeIgnoresAccessManager && services.contains(.pubnub) && keysets.first?.requiresGrants == true,
            "The bridge does not check grants: with bridge and pubnub.accessManager, everybody who may use the other "
                + "services could read and write PubNub's public channels. Switch bridge or accessManager off, or allow this "
                + "with bridgeIgnoresAccessManager.")
    }

    func configuration(registry: any ApplicationRegistry, logger: Logger) -> ServerConfiguration {
        var configuration = server
        configuration.host = host
        configuration.port = port
        configuration.applications = registry
        // The lists are empty for services that are switched off, so that development credentials, which everybody can know, do not open
        // them.
        configuration.keysets = keysets(for: services)
        configuration.chatApplications = chatApplications(for: services)
        if isBridged {
            configuration.bridge = Bridge(
                applicationID: services.contains(.pusher) ? applications.first?.id : nil,
                subscribeKey: configuration.keysets.first?.subscribeKey, chatKey: configuration.chatApplications.first?.key,
                ignoresAccessManager: bridgeIgnoresAccessManager)
        }
        configuration.services = modules
        configuration.settings = others
        keepData(in: &configuration)
        configuration.redis = redis
        configuration.runtimeApplications = runtimeApplications
        configuration.tls = tls
        configuration.activityTimeout = .seconds(activityTimeout)
        configuration.logger = logger
        return configuration
    }

    /// The settings that a reload passes to each service, given the running services (rule SO-144).
    func reloaded(for services: Set<ServiceKind>) -> [ServiceName: any Sendable] {
        var settings: [ServiceName: any Sendable] = [:]
        for section in sections {
            if let part = section.reloaded(self, services) { settings[part.service] = part.settings }
        }
        return settings
    }

    /// The number of applications of each running service, as log metadata.
    func counts(for services: Set<ServiceKind>) -> Logger.Metadata {
        var counts: Logger.Metadata = [:]
        for section in sections {
            if let part = section.count(self, services) { counts[part.name] = "\(part.count)" }
        }
        return counts
    }

    /// The Pusher applications if Pusher is one of the running services, otherwise none.
    func applications(for services: Set<ServiceKind>) -> [Application] {
        services.contains(.pusher) ? applications : []
    }

    /// The keysets if PubNub is one of the running services, otherwise none.
    func keysets(for services: Set<ServiceKind>) -> [Keyset] {
        services.contains(.pubnub) ? keysets : []
    }

    /// The chat applications if chat is one of the running services, otherwise none.
    func chatApplications(for services: Set<ServiceKind>) -> [ChatApplication] {
        services.contains(.nexconn) ? chatApplications : []
    }

    static func file(
        _ option: String?, environment: [String: String], sections: [ServeSection] = ServeSection.all
    ) throws(CommandFailure) -> SettingsFile {
        let variable = SettingNames.variable("config")
        let value =
            option.map { SettingValue("--config", text: $0) } ?? environment[variable].map { SettingValue(variable, text: $0) }
        return if let value { try SettingsFile(path: value.string(), sections) } else { SettingsFile() }
    }
}
