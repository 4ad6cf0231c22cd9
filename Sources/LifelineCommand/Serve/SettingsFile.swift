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
    /// One keyset or several.
    private(set) var pubnub: SettingValue?
    /// One chat application or several.
    private(set) var nexconn: SettingValue?

    /// No file.
    init() {}

    init(path: String) throws(CommandFailure) {
        let json: JSONText
        do {
            json = try JSONText(bytes: try FileContent.read(path))
        } catch let error as FileContent.Failure {
            throw CommandFailure("The configuration file \(path) \(error.reason).", .usage)
        } catch {
            throw CommandFailure("The configuration file \(path) is not JSON: \(error).", .usage)
        }
        try self.init(json)
    }

    init(_ json: JSONText) throws(CommandFailure) {
        guard let members = json.members else { throw CommandFailure("The configuration file must be a JSON object.", .usage) }
        try SettingNames.check(
            members.map(\.key), known: ["app", "apps", "pubnub", "nexconn"] + ServerSetting.scalars + ["tls"], in: "")
        for member in members {
            let value = SettingValue(member.key, json: member.value)
            // `null` is the same as leaving a setting out.
            if value.isNullJSON { continue }
            switch member.key {
            case "app": application = value
            case "apps": applications = value
            case "pubnub": pubnub = value
            case "nexconn": nexconn = value
            case "tls": for (key, value) in try value.members(of: ServerSetting.tls) { try take(value, ["tls", key]) }
            default: try take(value, [member.key])
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
        guard let content else { throw value.wrong("text, an integer, true or false") }
        values[AbsoluteConfigKey(path, context: [:])] = ConfigValue(content, isSecret: true)
    }
}

/// The settings of the whole server that a file and variables can have. Options have names of their own.
enum ServerSetting {
    static let scalars = [
        "host", "port", "data", "bridge", "bridgeIgnoresAccessManager", "logLevel", "pathPrefix", "trustProxyHeaders",
        "corsOrigins",
        "threads",
        "activityTimeout", "pongTimeout", "requestTimeout", "keepAliveTimeout", "messageTimeout", "closeTimeout", "drainTimeout",
        "chatHeartbeat", "pollQueueLength", "maxConnections", "maxMessageBytes", "maxRequestBytes", "maxPendingBytes", "services",
        "maxQueuedBytes", "publishTimeout", "maxConnectionsPerAddress", "connectionRatePerAddress", "limitLoopback",
        "drainCode", "reusePort", "allowPublicSecrets", "redis", "node", "redisPrefix",
    ]

    static let tls = ["cert", "key", "checkInterval"]

    /// Every variable that there is.
    static let variables: Set<String> = Set(
        (["apps", "pubnub", "nexconn", "config"] + scalars + tls.map { "tls.\($0)" }).map { SettingNames.variable($0) }
            + ApplicationSetting.fields.variables + KeysetSetting.fields.variables + ChatSetting.fields.variables)
}
