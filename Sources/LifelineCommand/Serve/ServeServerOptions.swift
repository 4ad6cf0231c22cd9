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

    @Option(help: ArgumentHelp("Threads for connections, 1 to 64 (default: one for each processor).", valueName: "threads"))
    var threads: Int?
}
