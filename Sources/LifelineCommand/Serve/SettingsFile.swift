import Configuration
import WireCoding

/// The configuration file: JSON whose every name is known. Rule SO-2.
struct SettingsFile: Sendable {
    /// Everything with one value, for the reader of all sources.
    private(set) var values: [AbsoluteConfigKey: ConfigValue] = [:]
    /// The fields of the only application.
    private(set) var application: SettingValue?
    /// Several applications.
    private(set) var applications: SettingValue?

    /// No file.
    init() {}

    init(path: String) throws(CommandFailure) {
        let json: JSONText
        do {
            json = try JSONText(bytes: try FileContent.read(path))
        } catch let error as FileContent.Failure {
            throw CommandFailure("The configuration file \(path) \(error.reason).", .usage)
        } catch {
            throw CommandFailure("The configuration file \(path) is no JSON: \(error).", .usage)
        }
        try self.init(json)
    }

    init(_ json: JSONText) throws(CommandFailure) {
        guard let members = json.members else { throw CommandFailure("The configuration file has to be a JSON object.", .usage) }
        try SettingNames.check(
            members.map(\.key), known: ["app", "apps"] + ServerSetting.scalars + ServerSetting.sections.map(\.name), in: "")
        for member in members {
            let value = SettingValue(member.key, json: member.value)
            // `null` is the same as leaving a setting out.
            if value.isNullJSON { continue }
            if member.key == "app" {
                application = value
            } else if member.key == "apps" {
                applications = value
            } else if let section = ServerSetting.sections.first(where: { $0.name == member.key }) {
                for (key, value) in try value.members(of: section.settings) { try take(value, [section.name, key]) }
            } else {
                try take(value, [member.key])
            }
        }
        if application != nil, applications != nil {
            throw CommandFailure("The file has app and apps. Name one application in app, or several in apps.", .usage)
        }
    }

    private mutating func take(_ value: SettingValue, _ path: [String]) throws(CommandFailure) {
        guard case .json(let json) = value.content else { return }
        let content: ConfigContent?
        switch json.kind {
        case .string: content = json.string.map { .string($0) }
        case .number: content = json.integer.map { .int($0) }
        case .bool: content = json.bool.map { .bool($0) }
        case .array: content = .stringArray(try value.strings())
        case .null, .object: content = nil
        }
        if json.isNull { return }
        guard let content else { throw value.wrong("text, a whole number, true or false") }
        values[AbsoluteConfigKey(path, context: [:])] = ConfigValue(content, isSecret: true)
    }
}

/// The settings of the whole server that a file and variables can have. Options have names of their own.
enum ServerSetting {
    static let scalars = [
        "host", "port", "data", "bridge", "logLevel", "pathPrefix", "trustProxyHeaders", "corsOrigins", "threads",
        "activityTimeout", "pongTimeout", "requestTimeout", "keepAliveTimeout", "messageTimeout", "closeTimeout", "drainTimeout",
        "chatHeartbeat", "pollQueueLength", "maxConnections", "maxMessageBytes", "maxRequestBytes", "maxPendingBytes", "services",
        "maxQueuedBytes", "publishTimeout",
    ]

    static let sections: [(name: String, settings: [String])] = [
        ("tls", ["cert", "key", "checkInterval"]),
        (
            "pubnub",
            ["publishKey", "subscribeKey", "secret", "accessManager", "pollHold", "announceMaximum", "presenceInterval"]
        ),
        (
            "nexconn",
            [
                "key", "secret", "syncDevices", "presence", "ownRecalls", "createOpenChannels", "manyOpenChannels", "sendRate",
                "devices", "openGrace", "tokenLifetime", "webhook",
            ]
        ),
    ]

    /// Every variable that there is.
    static let variables: Set<String> = Set(
        (["apps", "config"] + scalars + sections.flatMap { section in section.settings.map { "\(section.name).\($0)" } })
            .map { SettingNames.variable($0) }
            + ApplicationSetting.all.map(\.variable))
}
