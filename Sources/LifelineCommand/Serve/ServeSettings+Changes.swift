import LifelineServer
import RealtimeHub

// What a reload cannot change, and what should be changed before others can connect.
extension ServeSettings {
    /// The settings, by their names, that differ from those of a server that runs and count only after a new start (rule SO-20).
    func settingsForNewStart(since started: ServeSettings) -> [String] {
        zip(fixed, started.fixed).filter { $0.value != $1.value }.map(\.0.name)
    }

    /// Everything that has no equality of its own, in words.
    private var fixed: [(name: String, value: String)] {
        [
            ("host", host), ("port", "\(port)"), ("services", "\(services.map(\.rawValue).sorted())"), ("data", data ?? ""),
            // Without user and password, which a reload can change.
            ("redis", redis.map { "\($0.placeHash)" } ?? ""), ("node", redis?.node ?? ""), ("redisPrefix", redis?.prefix ?? ""),
            // It goes by the first application of each service at the start.
            ("bridgeIgnoresAccessManager", "\(bridgeIgnoresAccessManager)"),
            ("bridge", isBridged ? "\(bridged)" : ""), ("logFormat", logFormat.rawValue),
            ("tracesEndpoint", tracesEndpoint ?? ""),
            ("pathPrefix", server.pathPrefix),
            ("trustProxyHeaders", "\(server.trustsProxyHeaders)"), ("corsOrigins", "\(server.corsOrigins)"),
            ("threads", "\(server.threads ?? 0)"), ("tls", tls.map { "\($0)" } ?? ""),
            ("maxConnections", "\(server.maximumConnections)"),
            ("maxConnectionsPerAddress", "\(server.maximumConnectionsPerAddress)"),
            ("connectionRatePerAddress", "\(server.connectionRatePerAddress)"), ("limitLoopback", "\(server.limitsLoopback)"),
            ("maxMessageBytes", "\(server.maximumMessageBytes)"),
            ("maxRequestBytes", "\(server.maximumRequestBytes)"), ("maxPendingBytes", "\(server.maximumPendingBytes)"),
            ("maxQueuedBytes", "\(server.maximumQueuedBytes)"), ("publishTimeout", "\(server.publishTimeout)"),
            ("activityTimeout", "\(activityTimeout)"), ("pongTimeout", "\(server.pongTimeout)"),
            ("requestTimeout", "\(server.requestTimeout)"), ("keepAliveTimeout", "\(server.keepAliveTimeout)"),
            ("messageTimeout", "\(server.messageTimeout)"), ("closeTimeout", "\(server.closeTimeout)"),
            ("drainTimeout", "\(server.drainTimeout)"), ("chatHeartbeat", "\(server.chatHeartbeat)"),
            ("pollQueueLength", "\(server.pollQueueLength)"),
            ("drainCode", "\(server.drainCode ?? 0)"), ("reusePort", "\(server.reusesPort)"),
            ("allowPublicSecrets", "\(allowsPublicSecrets)"),
        ] + adminFixed
    }

    /// Passwords are compared, and not kept in words.
    private var adminFixed: [(name: String, value: String)] {
        [
            ("adminPort", admin.map { "\($0.port)" } ?? ""), ("adminHost", admin?.host ?? ""),
            ("adminNames", "\(admin?.names ?? [])"), ("adminPassword", "\(admin?.password.hashValue ?? 0)"),
            ("adminReadOnlyPassword", "\(admin?.readOnlyPassword.hashValue ?? 0)"),
            ("publicMetrics", "\(admin?.tellsPublicMetrics ?? false)"),
        ]
    }

    /// The applications that a bridge joins, by what nobody else has.
    private var bridged: [String] {
        [applications.first?.id, keysets.first?.subscribeKey, chatApplications.first?.key].compactMap(\.self)
    }

    /// Whether the server listens on this machine's own addresses only.
    private var isLocal: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

    /// Whether others than the programs of this machine can reach the server, as far as its settings tell.
    private var isExposed: Bool { !isLocal || server.trustsProxyHeaders || !server.pathPrefix.isEmpty }

    /// Refuses a server that others can reach with secrets that everybody can read in this package, unless that is wanted (rule
    /// SO-64).
    func refusePublicSecrets() throws(CommandFailure) {
        guard !isLocal, !allowsPublicSecrets, !openServices.isEmpty else { return }
        let settings: [ServiceName: String] = [
            .pusher: "--secret (LIFELINE_APP_SECRET)", .pubnub: "--pubnub-secret (LIFELINE_PUBNUB_SECRET)",
            .nexconn: "--nexconn-secret (LIFELINE_NEXCONN_SECRET)",
        ]
        let missing = openServices.compactMap { ServiceName(rawValue: $0).flatMap { settings[$0] } }.joined(separator: ", ")
        throw CommandFailure(
            "Others can reach this server at \(host), and the development secrets of \(openServices.joined(separator: ", ")) are public. "
                + "Give secrets of your own: \(missing); or switch services off with --services; or listen on 127.0.0.1; or say "
                + "--allow-public-secrets where everybody may read and write everything.", .usage)
    }

    /// The services that others can get into with a secret that everybody can read in this package.
    var openServices: [String] {
        guard isExposed else { return [] }
        let isOpen: [ServiceName: Bool] = [
            .pusher: applications.contains { $0.validSecrets.contains(Application.development.secret) },
            .pubnub: keysets.contains { $0.validSecretKeys.contains(Keyset.development.secretKey) },
            .nexconn: chatApplications.contains { $0.validSecrets.contains(ChatApplication.development.secret) },
        ]
        return ServiceName.allCases.filter { services.contains($0) && isOpen[$0] == true }.map(\.rawValue)
    }
}
