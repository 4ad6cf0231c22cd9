/// Findings about the configuration, before any attempt.
extension Finding {
    static func unencrypted(host: String) -> Finding {
        Finding(
            "unencrypted", "The connection to \(host) is not encrypted: others in between can read and change everything.",
            advice: "Use https or wss where the server has a certificate.")
    }

    static func portAndScheme(port: Int, usesTLS: Bool) -> Finding {
        usesTLS
            ? Finding(
                "port-and-scheme", "Port \(port) is usually used without TLS, but the URL asks for TLS.",
                advice: "If TLS fails below, use port 443 or write http or ws.")
            : Finding(
                "port-and-scheme", "Port \(port) is usually used with TLS, but the URL does not ask for it.",
                advice: "If HTTP fails below, write https or wss.")
    }

    static func apiHost(_ host: String, instead: String) -> Finding {
        Finding(
            "api-host", "\(host) is where messages are published; clients do not connect there.",
            advice: "Use \(instead), or --cluster with the cluster's name.")
    }

    static let malformedKey = Finding(
        "key-malformed",
        "The key contains a space or a character that no key has: it was probably copied with something around it.",
        advice: "Copy the key again, without quotes and spaces.")

    static let secretIsKey = Finding(
        "secret-is-key", "The secret is the same as the key, which is public.",
        advice: "Give the app's secret, which the page of the app's keys shows beside the key.")
}
