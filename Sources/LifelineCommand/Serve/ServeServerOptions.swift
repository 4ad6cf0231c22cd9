import ArgumentParser

/// What `lifeline serve` can be told about the server as a whole. A file and variables have more.
struct ServeServerOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Puts every path below this one, such as /realtime.", valueName: "path"))
    var pathPrefix: String?

    @Flag(
        inversion: .prefixedNo,
        help: "Whether X-Forwarded-For and X-Forwarded-Proto are believed; only behind a proxy (default: no).")
    var trustProxyHeaders: Bool?

    @Option(
        help: ArgumentHelp(
            "Web pages that may read answers of the HTTP API; can be given several times (default: all).", valueName: "origin"))
    var corsOrigin: [String] = []

    @Option(help: ArgumentHelp("WebSocket connections of the whole server (default: 100000).", valueName: "connections"))
    var maxConnections: Int?

    @Option(
        help: ArgumentHelp(
            "Connections of one address, or of one IPv6 network of 64 bits; 0 for no limit (default: 2000).",
            valueName: "connections"))
    var maxConnectionsPerAddress: Int?

    @Option(
        help: ArgumentHelp(
            "New connections of one address in a second, five times as many at once; 0 for no limit (default: 200).",
            valueName: "connections"))
    var connectionRatePerAddress: Int?

    @Flag(inversion: .prefixedNo, help: "Whether both limits hold for programs of this machine, too (default: no).")
    var limitLoopback: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: "Whether a new server may listen on the port before this one has stopped; both need it (default: no).")
    var reusePort: Bool?

    @Flag(
        inversion: .prefixedNo,
        help:
            "Whether a server with the development secrets, which are public, may listen where others can reach it (default: no)."
    )
    var allowPublicSecrets: Bool?

    @Option(
        help: ArgumentHelp(
            "Threads for connections, 1 to 64 (default: one for each processor that it may use).", valueName: "threads"))
    var threads: Int?
}
