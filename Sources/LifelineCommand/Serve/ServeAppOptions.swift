import ArgumentParser

/// What `lifeline serve` can be told about its only application, besides its credentials. A file has more.
struct ServeAppOptions: ParsableArguments {
    @Option(help: "The app's number (default: 1001).")
    var appID: String?

    @Option(help: "The app's key (default: app-key).")
    var key: String?

    @Option(help: "The app's secret (default: app-secret).")
    var secret: String?

    @Option(
        help: ArgumentHelp(
            "The secret before this one, which is accepted as well until it is left out (default: none).", valueName: "secret"))
    var previousSecret: String?

    @Flag(inversion: .prefixedNo, help: "Whether subscribers may send events to each other (default: yes).")
    var clientEvents: Bool?

    @Flag(inversion: .prefixedNo, help: "Whether subscribers are told how many they are (default: yes).")
    var subscriptionCounts: Bool?

    @Option(
        help: ArgumentHelp(
            "Web pages that may connect, such as https://example.com or https://*.example.com; can be given several times (default: all).",
            valueName: "origin"))
    var allowedOrigin: [String] = []

    @Option(
        help: ArgumentHelp("Posts what happens on channels to this address; can be given several times.", valueName: "url"))
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
