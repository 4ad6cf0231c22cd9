/// What can be wrong before anything is tried.
extension Finding {
    static func unencrypted(host: String) -> Finding {
        Finding(
            "unencrypted", "Everything travels to \(host) unencrypted: others on the way can read and change it.",
            advice: "Use https or wss where the server has a certificate.")
    }

    static func portAndScheme(port: Int, usesTLS: Bool) -> Finding {
        usesTLS
            ? Finding(
                "port-and-scheme", "Port \(port) is the usual one for connections without TLS, and TLS was asked for.",
                advice: "If TLS fails below, use port 443 or write http or ws.")
            : Finding(
                "port-and-scheme", "Port \(port) is the usual one for TLS, and none was asked for.",
                advice: "If HTTP fails below, write https or wss.")
    }

    static func apiHost(_ host: String, instead: String) -> Finding {
        Finding(
            "api-host", "\(host) is where messages are published; clients do not connect there.",
            advice: "Use \(instead), or --cluster with the cluster's name.")
    }

    static let malformedKey = Finding(
        "key-malformed", "The key holds a blank or a character that no key has: it was probably copied with something around it.",
        advice: "Copy the key again, without quotes and blanks.")

    static let secretIsKey = Finding(
        "secret-is-key", "The secret is the same as the key, which is public.",
        advice: "Give the app's secret, the other value on the page of the app's keys.")
}
