import LifelineServer

// Every setting of the whole server with its value, for `config show`.
extension ServeSettings {
    /// In the order of docs/operations.md. What nobody has set has the value that it takes then (rule SO-124).
    var shown: [(name: String, value: ShownSetting)] {
        let seconds: (Duration) -> ShownSetting = { .seconds($0) }
        return [
            ("host", .string(host)), ("port", .integer(port)), ("data", .string(data)),
            ("services", .strings(ServiceName.allCases.filter { services.contains($0) }.map(\.rawValue))),
            ("redis", .string(redis?.shownAddress)), ("node", .string(redis?.node ?? Self.defaultNode)),
            ("redisPrefix", .string(redis?.prefix ?? Self.defaultRedisPrefix)),
            ("bridge", .bool(isBridged)), ("bridgeIgnoresAccessManager", .bool(bridgeIgnoresAccessManager)),
            ("logLevel", .string(logLevel.rawValue)), ("logFormat", .string(logFormat.rawValue)),
            ("tracesEndpoint", .string(tracesEndpoint)),
            ("pathPrefix", .string(server.pathPrefix.isEmpty ? nil : server.pathPrefix)),
            ("trustProxyHeaders", .bool(server.trustsProxyHeaders)), ("corsOrigins", .strings(server.corsOrigins)),
            ("threads", .integer(server.usedThreads)),
            ("tls.cert", .string(tls?.certificateFile)), ("tls.key", .string(tls?.privateKeyFile)),
            ("tls.checkInterval", .seconds(tls.map { $0.checkInterval ?? .zero } ?? .seconds(Self.defaultCheckInterval))),
            ("allowPublicSecrets", .bool(allowsPublicSecrets)),
            ("maxConnections", .integer(server.maximumConnections)),
            ("maxConnectionsPerAddress", .integer(server.maximumConnectionsPerAddress)),
            ("connectionRatePerAddress", .integer(server.connectionRatePerAddress)),
            ("limitLoopback", .bool(server.limitsLoopback)),
            ("maxMessageBytes", .integer(server.maximumMessageBytes)),
            ("maxRequestBytes", .integer(server.maximumRequestBytes)),
            ("maxPendingBytes", .integer(server.maximumPendingBytes)), ("maxQueuedBytes", .integer(server.maximumQueuedBytes)),
            ("publishTimeout", seconds(server.publishTimeout)), ("activityTimeout", .integer(activityTimeout)),
            ("pongTimeout", seconds(server.pongTimeout)), ("requestTimeout", seconds(server.requestTimeout)),
            ("keepAliveTimeout", seconds(server.keepAliveTimeout)), ("messageTimeout", seconds(server.messageTimeout)),
            ("closeTimeout", seconds(server.closeTimeout)), ("drainTimeout", seconds(server.drainTimeout)),
            ("drainCode", .integer(Int(server.usedDrainCode))), ("reusePort", .bool(server.reusesPort)),
            ("chatHeartbeat", seconds(server.chatHeartbeat)), ("pollQueueLength", .integer(server.pollQueueLength)),
        ] + shownAdmin
    }

    private var shownAdmin: [(name: String, value: ShownSetting)] {
        [
            ("adminPort", .integer(admin?.port)), ("adminHost", .string(admin?.host ?? AdminSettings(port: 0).host)),
            ("adminNames", .strings(admin?.names ?? [])),
            ("adminPassword", .secret(admin?.password)), ("adminReadOnlyPassword", .secret(admin?.readOnlyPassword)),
            ("publicMetrics", .bool(admin?.tellsPublicMetrics ?? false)),
        ]
    }
}

extension RedisConfiguration {
    /// Without the name of the node.
    fileprivate var shownAddress: String { String("\(self)".dropLast(" as \(node)".count)) }
}
