/// All settings of the whole server, in the order in which people read them.
extension ServerSetting {
    static let all: [ServerSetting] = [place, log, connections, sizes, times, protocols, admin].flatMap(\.self)

    private static let place: [ServerSetting] = [
        host, port, data, dataFiles, dataPasswordFile, dataPool, services, redis, partitions, node, redisPrefix, bridge,
        bridgeIgnoresAccessManager,
    ]
    private static let log: [ServerSetting] = [logLevel, logFormat, tracesEndpoint]
    private static let connections: [ServerSetting] = [
        pathPrefix, trustProxyHeaders, corsOrigins, threads, tlsCertificate, tlsKey, tlsCheckInterval, allowPublicSecrets,
        maxConnections, maxConnectionsPerAddress, connectionRatePerAddress, limitLoopback,
    ]
    private static let times: [ServerSetting] = [publishTimeout, activityTimeout] + timeouts + [drainCode, reusePort]
    private static let admin: [ServerSetting] = [
        adminPort, adminHost, adminNames, adminTrustProxy, adminPassword, adminReadOnlyPassword, publicMetrics,
        applicationsKey, maxApplications,
    ]

    /// The names of the settings that are top-level members of the configuration file.
    static let scalars: [String] = all.filter { $0.group == nil }.map(\.name)

    /// The members of the objects that the file has in addition to the applications, by the names of these objects, such as `tls`.
    static let groups: [String: [String]] = all.reduce(into: [:]) { groups, setting in
        guard let group = setting.group else { return }
        groups[group, default: []].append(String(setting.name.dropFirst(group.count + 1)))
    }

    /// The names of all environment variables of `lifeline serve`.
    static let variables = variables(ServeSection.all)

    /// The names of the variables of a server with these services.
    static func variables(_ services: [ServeSection]) -> Set<String> {
        Set(all.map(\.variable)).union(services.flatMap(\.variables)).union([SettingNames.variable("config")])
    }
}
