// The settings of proxies, of the number of connections, and of limits of time and size.
extension ServerSetting {
    static let pathPrefix = ServerSetting(
        name: "pathPrefix", meaning: "A prefix of all paths, such as /realtime", option: .text(\.server.pathPrefix, "path"),
        unset: .nothing,
        set: { value, settings throws(CommandFailure) in
            settings.server.pathPrefix = try ServeSettings.pathPrefix(value)
        },
        shown: { .string($0.server.pathPrefix.isEmpty ? nil : $0.server.pathPrefix) })

    static let trustProxyHeaders = truth(
        "trustProxyHeaders", \.server.trustsProxyHeaders, option: .flag(\.server.trustProxyHeaders),
        "Whether to use X-Forwarded-For and X-Forwarded-Proto; only behind a proxy that sets them")

    static let corsOrigins = ServerSetting(
        name: "corsOrigins",
        meaning: "An origin whose web pages may read answers of the HTTP API; may be repeated",
        option: .repeated(\.server.corsOrigin, name: "--cors-origin", "origin"), unset: .words("all"),
        set: { value, settings throws(CommandFailure) in
            settings.server.corsOrigins = try value.strings().map { text throws(CommandFailure) in
                try ServeSettings.corsOrigin(text, value)
            }
        },
        shown: { .strings($0.server.corsOrigins) }
    )
    .more("Such as https://example.com; an empty list allows none")

    static let maxConnections = integer(
        "maxConnections", \.server.maximumConnections, in: 0...10_000_000,
        option: .text(\.server.maxConnections, "connections"), "WebSocket connections that may be open")

    static let maxConnectionsPerAddress = integer(
        "maxConnectionsPerAddress", \.server.maximumConnectionsPerAddress, in: 0...10_000_000, note: "no limit",
        option: .text(\.server.maxConnectionsPerAddress, "connections"),
        "Connections from one address, or from one IPv6 network of 64 bits; 0 for no limit")

    static let connectionRatePerAddress = integer(
        "connectionRatePerAddress", \.server.connectionRatePerAddress, in: 0...1_000_000, note: "no limit",
        option: .text(\.server.connectionRatePerAddress, "connections"),
        "New connections per second from one address; bursts of five times as many; 0 for no limit")

    static let limitLoopback = truth(
        "limitLoopback", \.server.limitsLoopback, option: .flag(\.server.limitLoopback),
        "Whether both limits apply to connections from this machine, too")

    static let sizes = [
        integer("maxMessageBytes", \.server.maximumMessageBytes, in: 1_024...16_777_216, "The largest message of a client"),
        integer(
            "maxRequestBytes", \.server.maximumRequestBytes, in: 1_024...1_073_741_824,
            "The largest body of a request; four times as much for batches of events and the chat API"),
        integer(
            "maxPendingBytes", \.server.maximumPendingBytes, in: 16_384...1_073_741_824, "How much may wait for one subscriber"),
        integer(
            "maxQueuedBytes", \.server.maximumQueuedBytes, in: 65_536...1_073_741_824, "How much may wait for one event loop"),
    ]

    static let publishTimeout = seconds(
        "publishTimeout", \.server.publishTimeout, in: 1...3_600,
        "How long a publisher waits for room on event loops before it gets 503")

    static let activityTimeout = integer(
        "activityTimeout", \.activityTimeout, in: 1...86_400, unit: ", in seconds",
        option: .text(\.server.activityTimeout, "seconds"), "After this silence clients test the connection")

    static let timeouts = [
        seconds(
            "pongTimeout", \.server.pongTimeout, in: 1...3_600,
            "How long after activityTimeout the server sends a ping, and how long it waits for the answer"),
        seconds(
            "requestTimeout", \.server.requestTimeout, in: 1...3_600, "How long a request may take to arrive completely"),
        seconds(
            "keepAliveTimeout", \.server.keepAliveTimeout, in: 1...86_400,
            "How long a connection may be idle between two requests"),
        seconds("messageTimeout", \.server.messageTimeout, in: 1...3_600, "How long a message may take to arrive completely"),
        seconds(
            "closeTimeout", \.server.closeTimeout, in: 1...3_600, "How long the server waits for the answer to a close frame"),
        decimalSeconds(
            "drainTimeout", \.server.drainTimeout, in: 0...3_600,
            "How long a stop waits for connections to end; they are closed evenly over most of it"),
    ]

    static let drainCode = ServerSetting(
        name: "drainCode", meaning: "The close code for Pusher's clients when the server stops", range: "4100 … 4299",
        unset: .words("4100, with reusePort 4200"),
        set: { value, settings throws(CommandFailure) in
            settings.server.drainCode = UInt16(exactly: try value.integer(4_100...4_299))
        },
        shown: { .integer(Int($0.server.usedDrainCode)) }, change: .compared { "\($0.server.drainCode ?? 0)" })

    static let protocols = [
        seconds(
            "chatHeartbeat", \.server.chatHeartbeat, in: 1...3_600,
            "After how much silence of a chat client the server sends a ping"),
        integer(
            "pollQueueLength", \.server.pollQueueLength, in: 1...10_000, "How many recent messages a PubNub poll can catch up on"),
    ]
}
