import ArgumentParser

/// The options of `lifeline serve` for connections and what is in front of them. The file and the environment variables have more settings.
struct ServeServerOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A prefix of all paths, such as /realtime.", valueName: "path"))
    var pathPrefix: String?

    @Flag(
        inversion: .prefixedNo,
        help: "Whether to use X-Forwarded-For and X-Forwarded-Proto; only behind a proxy that sets them (default: no).")
    var trustProxyHeaders: Bool?

    @Option(
        help: ArgumentHelp(
            "An origin whose web pages may read answers of the HTTP API; may be repeated (default: all).", valueName: "origin"))
    var corsOrigin: [String] = []

    @Option(help: ArgumentHelp("WebSocket connections that may be open (default: 100000).", valueName: "connections"))
    var maxConnections: String?

    @Option(
        help: ArgumentHelp(
            "Connections from one address, or from one IPv6 network of 64 bits; 0 for no limit (default: 2000).",
            valueName: "connections"))
    var maxConnectionsPerAddress: String?

    @Option(
        help: ArgumentHelp(
            "New connections per second from one address; bursts of five times as many; 0 for no limit (default: 200).",
            valueName: "connections"))
    var connectionRatePerAddress: String?

    @Flag(inversion: .prefixedNo, help: "Whether both limits apply to connections from this machine, too (default: no).")
    var limitLoopback: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: "Whether another server with this option may listen on the same port before this one stops (default: no).")
    var reusePort: Bool?

    @Flag(
        inversion: .prefixedNo,
        help:
            "Whether to start with the public development secrets at an address that other machines can reach (default: no)."
    )
    var allowPublicSecrets: Bool?

    @Option(
        help: ArgumentHelp(
            "Threads for connections, 1 to 64 (default: one for each processor that the server may use).", valueName: "threads"))
    var threads: String?

    @Option(help: ArgumentHelp("After this silence clients test the connection (default: 120).", valueName: "seconds"))
    var activityTimeout: String?
}
