import ArgumentParser

/// The options of `lifeline serve` for the admin port. Passwords are for the file and for variables only, since options can be seen.
struct ServeAdminOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A port for the console in a browser (/console) and for /metrics; 0 picks a free one (default: none).",
            valueName: "port"))
    var adminPort: String?

    @Option(
        help: ArgumentHelp(
            "The address of the admin port; other machines reach it over TLS only (default: 127.0.0.1).", valueName: "address"))
    var adminHost: String?

    @Option(
        help: ArgumentHelp(
            "A name under which the console may be opened, besides addresses and localhost; may be repeated.", valueName: "name"))
    var adminName: [String] = []

    @Flag(
        inversion: .prefixedNo,
        help: "Whether the public port goes on answering /metrics when there is an admin port (default: no).")
    var publicMetrics: Bool?
}
