/// Findings about the configuration, which need no attempt to connect.
extension Finding {
    static func unencrypted(host: String) -> Finding {
        Finding(
            "unencrypted",
            "The connection to \(host) is not encrypted: everybody on the network path can read and change the data.",
            advice: "Use https or wss in the URL if the server has a certificate.")
    }

    static func portAndScheme(port: Int, usesTLS: Bool) -> Finding {
        usesTLS
            ? Finding(
                "port-and-scheme", "Port \(port) is usually used without TLS, but the URL asks for TLS.",
                advice: "If the TLS step fails, use port 443, or write http or ws in the URL.")
            : Finding(
                "port-and-scheme", "Port \(port) is usually used with TLS, but the URL does not ask for TLS.",
                advice: "If the HTTP step fails, write https or wss in the URL.")
    }

    static func apiHost(_ host: String, instead: String) -> Finding {
        Finding(
            "api-host", "\(host) is the host of the HTTP API for publishing. Clients cannot connect to it.",
            advice: "Connect to \(instead), or give the name of the cluster with --cluster.")
    }

    static let malformedKey = Finding(
        "key-malformed",
        "The key contains a space or another character that no key contains. It was probably copied together with other text.",
        advice: "Copy the key again, without quotes and spaces.")

    static let secretIsKey = Finding(
        "secret-is-key", "The secret is the same as the key, which is public.",
        advice: "Give the app's secret, which the page of the app's keys shows beside the key.")
}
