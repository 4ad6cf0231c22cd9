import LifelineServer
import RealtimeHub

// What a reload cannot change, and what should be changed before others can connect.
extension ServeSettings {
    /// The settings, by their names, that differ from those of a server that runs and count only after a new start (rule SO-20).
    func settingsForNewStart(since started: ServeSettings) -> [String] {
        var names = zip(fixed, started.fixed).filter { $0.value != $1.value }.map(\.0.name)
        if pollHold != started.pollHold || keyset != started.keyset { names.append("pubnub") }
        if chat != started.chat { names.append("nexconn") }
        return names
    }

    /// Everything that has no equality of its own, in words.
    private var fixed: [(name: String, value: String)] {
        [
            ("host", host), ("port", "\(port)"), ("services", "\(services.map(\.rawValue).sorted())"), ("data", data ?? ""),
            // It goes by the first application of the start.
            ("bridge", isBridged ? "of \(applications.first?.id ?? "")" : ""), ("logLevel", "\(logLevel)"),
            ("pathPrefix", server.pathPrefix),
            ("trustProxyHeaders", "\(server.trustsProxyHeaders)"), ("corsOrigins", "\(server.corsOrigins)"),
            ("threads", "\(server.threads ?? 0)"), ("tls", tls.map { "\($0)" } ?? ""),
            ("maxConnections", "\(server.maximumConnections)"), ("maxMessageBytes", "\(server.maximumMessageBytes)"),
            ("maxRequestBytes", "\(server.maximumRequestBytes)"), ("maxPendingBytes", "\(server.maximumPendingBytes)"),
            ("maxQueuedBytes", "\(server.maximumQueuedBytes)"), ("publishTimeout", "\(server.publishTimeout)"),
            ("activityTimeout", "\(activityTimeout)"), ("pongTimeout", "\(server.pongTimeout)"),
            ("requestTimeout", "\(server.requestTimeout)"), ("keepAliveTimeout", "\(server.keepAliveTimeout)"),
            ("messageTimeout", "\(server.messageTimeout)"), ("closeTimeout", "\(server.closeTimeout)"),
            ("drainTimeout", "\(server.drainTimeout)"), ("chatHeartbeat", "\(server.chatHeartbeat)"),
            ("pollQueueLength", "\(server.pollQueueLength)"),
        ]
    }

    /// Whether others than the programs of this machine can reach the server, as far as its settings tell.
    private var isExposed: Bool {
        let isLocal = host == "localhost" || host == "::1" || host.hasPrefix("127.")
        return !isLocal || server.trustsProxyHeaders || !server.pathPrefix.isEmpty
    }

    /// The services that others can get into with a secret that everybody can read in this package.
    var openServices: [String] {
        guard isExposed else { return [] }
        let isOpen: [ServiceName: Bool] = [
            .pusher: applications.contains { $0.secret == Application.development.secret },
            .pubnub: keyset.secretKey == Keyset.development.secretKey,
            .nexconn: chat.secret == ChatApplication.development.secret,
        ]
        return ServiceName.allCases.filter { services.contains($0) && isOpen[$0] == true }.map(\.rawValue)
    }
}
