import ArgumentParser

/// The options of `lifeline serve` for a single Pusher application. The file and the environment variables have more settings.
struct ServeAppOptions: ParsableArguments {
    @Option(help: "The app's id in the HTTP API (default: 1001).")
    var appID: String?

    @Option(help: "The app's key (default: app-key).")
    var key: String?

    @Option(help: "The app's secret (default: app-secret).")
    var secret: String?

    @Option(
        help: ArgumentHelp(
            "An old secret that is accepted as well, while the secret is being changed (default: none).", valueName: "secret"))
    var previousSecret: String?

    @Flag(inversion: .prefixedNo, help: "Whether subscribers may send events to each other (default: yes).")
    var clientEvents: Bool?

    @Flag(inversion: .prefixedNo, help: "Whether subscribers get the number of subscribers (default: yes).")
    var subscriptionCounts: Bool?

    @Option(
        help: ArgumentHelp(
            "An origin whose web pages may connect, such as https://*.example.com; may be repeated (default: all).",
            valueName: "origin"))
    var allowedOrigin: [String] = []

    @Option(
        help: ArgumentHelp("Posts events about channels to this address; may be repeated.", valueName: "url"))
    var webhook: [String] = []

    /// The options that were given, by the names of their settings.
    var given: [(name: String, option: String, text: String)] {
        let texts: [(String, String, String?)] = [
            ("id", "--app-id", appID), ("key", "--key", key), ("secret", "--secret", secret),
            ("previousSecret", "--previous-secret", previousSecret),
            ("clientEvents", "--client-events", clientEvents.map { "\($0)" }),
            ("subscriptionCounts", "--subscription-counts", subscriptionCounts.map { "\($0)" }),
            ("allowedOrigins", "--allowed-origin", allowedOrigin.isEmpty ? nil : allowedOrigin.joined(separator: ",")),
        ]
        return texts.compactMap { name, option, text in text.map { (name, option, $0) } }
    }
}
