import LifelineServer
import Logging

// Settings of the services that run, of the address on which the server listens, and of the storage of its data.
extension ServerSetting {
    static let host = ServerSetting(
        name: "host", meaning: "The address to listen on; 0.0.0.0 for all", option: .text(\.address.host, "address"),
        set: { value, settings throws(CommandFailure) in settings.host = try ServeSettings.host(value) },
        shown: { .string($0.host) })

    static let port = integer(
        "port", \.port, in: 0...65_535, option: .text(\.address.port), "The port; 0 picks a free one")

    /// The value is confidential, because the address of a database may contain a password. A reload cannot change it.
    static let data = ServerSetting(
        name: "data", meaning: "Stores messages in this directory, which is created if it does not exist",
        option: .text(\.base.data, "directory"), isConfidential: true, unset: .nothing,
        set: { value, settings throws(CommandFailure) in
            let text = try value.string()
            guard !DataAddress.isAddress(text) || DataAddress(text) != nil else {
                throw value.wrong("postgres://USER:PASSWORD@HOST:PORT/DATABASE, with special characters as %XX")
            }
            if let mistake = DataAddress.mistake(in: text) { throw value.failure(mistake) }
            settings.data = text
        },
        shown: { .string($0.shownData) }, change: .compared { $0.data ?? "" }
    )
    .more(
        "One server at a time uses it. Or in a PostgreSQL database, which needs libpq, and which the servers of a cluster share: "
            + "postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=verify-full")

    static let dataFiles = text(
        "dataFiles", \.dataParts.files, option: .text(\.base.dataFiles, "directory"),
        "The directory for the contents of uploaded files; without it the directory files in data"
    )
    .more("Needed for PubNub when data is a PostgreSQL database")

    static let dataPasswordFile = text(
        "dataPasswordFile", \.dataParts.passwordFile,
        "A file with the password of the PostgreSQL database, which is read for each new connection"
    )
    .more("Without it the password is in data, in PGPASSWORD, or in the file that PGPASSFILE names")

    static let dataPool = integer(
        "dataPool", \.dataParts.pool, in: 1...64,
        "The number of connections to the PostgreSQL database that read, for each of its two stores; one more writes")

    static let services = ServerSetting(
        name: "services", meaning: "The services that run, separated by commas: pusher, pubnub, chat",
        option: .text(\.base.services, "names"), unset: .words("all"),
        set: { value, settings throws(CommandFailure) in settings.services = try ServeSettings.services(value) },
        shown: { settings in .strings(ServiceKind.allCases.filter { settings.services.contains($0) }.map(\.rawValue)) })

    /// The value is confidential, because the address may contain a password. A reload can change the password.
    static let redis = ServerSetting(
        name: "redis",
        meaning: "Shares everything with other servers on this Redis 7 or Valkey: redis[s]://[USER:PASSWORD@]HOST:PORT; "
            + "may be repeated for several independent Redis",
        option: .repeatedAddress(\.redis.redis, name: "--redis"), isConfidential: true, unset: .nothing,
        set: { value, settings throws(CommandFailure) in settings.redisParts.addresses = try value.addresses() },
        shown: { settings in
            let shown = settings.redis?.shownAddresses ?? []
            return shown.count > 1 ? .strings(shown) : .string(shown.first)
        }, change: .compared { $0.redis.map { $0.places.sorted().joined(separator: " ") } ?? "" }
    )
    .more(
        "Several addresses are a list in the file, and have spaces between them in the variable. Not together with bridge, nor with a "
            + "directory in data; see docs/cluster.md")

    static let partitions = integer(
        "partitions", \.redisParts.partitions, in: 1...16, option: .text(\.redis.partitions),
        "Into how many partitions the servers on Redis divide channels and applications; each has a leader of its own"
    )
    .more("Fixed at the first start of the cluster, and the same on every server; at least as many as there are Redis")

    static let node = text(
        "node", \.redisParts.node, option: .text(\.redis.node, "name"), unset: .words("the name of the machine"),
        shown: { .string($0.redis?.node ?? ServeSettings.defaultNode) },
        "The name of this server in logs and metrics")

    static let redisPrefix = text(
        "redisPrefix", \.redisParts.prefix, option: .text(\.redis.redisPrefix, "prefix"), unset: .shown,
        shown: { .string($0.redis?.prefix ?? ServeSettings.defaultRedisPrefix) },
        "The prefix of all keys in Redis")

    /// A bridge joins the first application of each service, as configured when the server starts.
    static let bridge = truth(
        "bridge", \.isBridged, option: .flag(\.bridging.bridge),
        change: .compared { $0.isBridged ? "\($0.bridged)" : "" },
        "Whether public channels with the same name are one channel in Pusher, PubNub and chat"
    )
    .more("It joins the first application of each service")

    static let bridgeIgnoresAccessManager = truth(
        "bridgeIgnoresAccessManager", \.bridgeIgnoresAccessManager,
        option: .flag(\.bridging.bridgeIgnoresAccessManager),
        "Whether to allow a bridge although it gives everybody access to channels that PubNub's access manager protects"
    )
    .more(
        "Needed for a bridge together with pubnub.accessManager, because users of the other services can then read and write "
            + "PubNub's public channels without a grant")

    static let logLevel = word(
        "logLevel", \.logLevel, option: .text(\.log.logLevel), change: .taken,
        "The least level that is logged: trace, debug, info, notice, warning, error or critical"
    )
    .more("A reload applies a new level")

    static let logFormat = word(
        "logFormat", \.logFormat, option: .text(\.log.logFormat, "format"), "The format of the log: text or json")

    static let tracesEndpoint = ServerSetting(
        name: "tracesEndpoint",
        meaning: "A collector that gets spans of requests with a sampled traceparent, over OTLP in JSON",
        option: .text(\.log.tracesEndpoint, "url"),
        set: { value, settings throws(CommandFailure) in
            settings.tracesEndpoint = try ServeSettings.tracesEndpoint(value)
        },
        shown: { .string($0.tracesEndpoint) }
    )
    .more("Such as http://127.0.0.1:4318")

    static let threads = integer(
        "threads", \.server.threads, in: 1...64, used: { $0.server.usedThreads },
        option: .text(\.server.threads, "threads"), unset: .words("one for each processor that the server may use"),
        change: .compared { "\($0.server.threads ?? 0)" }, "Threads for connections, 1 to 64")

    static let allowPublicSecrets = truth(
        "allowPublicSecrets", \.allowsPublicSecrets, option: .flag(\.server.allowPublicSecrets),
        "Whether to start with the public development secrets at an address that other machines can reach")

    static let reusePort = truth(
        "reusePort", \.server.reusesPort, option: .flag(\.server.reusePort),
        "Whether another server with this option may listen on the same port before this one stops")
}

extension RedisConfiguration {
    /// The addresses of Redis for output, without the name of this node.
    var shownAddresses: [String] {
        // The text can be split at ", ", because the hosts of Sentinels are separated by commas without a space.
        String("\(self)".dropLast(" as \(node)".count)).split(separator: ", ").map { String($0) }
    }
}

extension SettingValue {
    /// The value as one or several addresses: in a file a text or a list of texts, elsewhere one text with spaces between addresses.
    fileprivate func addresses() throws(CommandFailure) -> [String] {
        switch content {
        case .json(let json) where json.kind == .array:
            let addresses = try strings()
            guard !addresses.isEmpty else { throw wrong("an address or a list of addresses") }
            return addresses
        case .json: return [try string()]
        case .text: return try string().split(separator: " ").map { String($0) }
        }
    }
}
