import ChatServer
import PubNubServer
import PusherServer
import ServerRuntime
import ServerStorage

// Derives the settings of each part of a server from its configuration.
extension ServerConfiguration {
    /// The number of threads that serve connections: the configured number, or one for each available processor (rule SO-50).
    package var usedThreads: Int { min(max(threads ?? SystemProcessors.allowance.count, 1), EventLoopSet.capacity) }

    /// The close code that a drain sends to Pusher's clients (rule SV-38).
    package var usedDrainCode: UInt16 { drainCode ?? (reusesPort ? 4200 : 4100) }

    var runtime: RuntimeSettings {
        var runtime = RuntimeSettings(host: host, port: port, clock: clock, logger: logger)
        runtime.usesTLS = tls != nil
        runtime.pathPrefix = pathPrefix
        runtime.trustsProxyHeaders = trustsProxyHeaders
        runtime.corsOrigins = corsOrigins
        runtime.reusesPort = reusesPort
        runtime.requestTimeout = requestTimeout
        runtime.keepAliveTimeout = keepAliveTimeout
        runtime.messageTimeout = messageTimeout
        runtime.closeTimeout = closeTimeout
        runtime.publishTimeout = publishTimeout
        runtime.sweepInterval = sweepInterval
        runtime.maximumConnections = maximumConnections
        runtime.maximumConnectionsPerAddress = maximumConnectionsPerAddress
        runtime.connectionRatePerAddress = connectionRatePerAddress
        runtime.limitsLoopback = limitsLoopback
        runtime.maximumRequestBytes = maximumRequestBytes
        runtime.maximumFragments = maximumFragments
        runtime.maximumPendingBytes = maximumPendingBytes
        runtime.maximumQueuedBytes = maximumQueuedBytes
        runtime.version = LifelineServer.version
        runtime.tellsMetrics = admin.map(\.tellsPublicMetrics) ?? true
        runtime.endedConnectionsKept = admin == nil ? 0 : 100
        return runtime
    }

    var pusher: PusherServiceSettings {
        PusherServiceSettings(
            applications: applications, activityTimeout: activityTimeout, pongTimeout: pongTimeout,
            maximumMessageBytes: maximumMessageBytes, drainCode: usedDrainCode,
            bridgedID: bridge?.applicationID)
    }

    var pubnub: PubNubServiceSettings {
        PubNubServiceSettings(
            keysets: keysets, pollHold: pollHold, pollQueueLength: pollQueueLength, bridgedKey: bridge?.subscribeKey,
            fileDirectory: redis == nil ? fileDirectory ?? dataDirectory.map { $0 + "/files" } : nil, logger: logger)
    }

    var chat: ChatServiceSettings {
        ChatServiceSettings(
            applications: chatApplications, chatHeartbeat: chatHeartbeat, bridgedKey: bridge?.chatKey)
    }
}
