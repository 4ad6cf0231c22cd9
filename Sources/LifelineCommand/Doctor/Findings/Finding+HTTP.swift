/// Findings about answers that come from something other than the server.
extension Finding {
    static let signInRequired = Finding(
        "captive-portal", "The network requires a sign-in before it forwards traffic.",
        advice: "Open any http:// page in a browser, sign in, and try again.")

    static func redirected(to location: String?) -> Finding {
        Finding(
            "redirected",
            "The answer redirects to another address\(location.map { ": \(quote($0))" } ?? ""). Clients do not follow redirects, so that no secret is sent there.",
            advice:
                "If the new address is a sign-in page, sign in to the network with a browser first. Otherwise use the new address."
        )
    }

    static func webPage(status: Int) -> Finding {
        Finding(
            "captive-portal", "The answer is a web page instead of the service's answer (status \(status)).",
            advice:
                "In a hotel, train or office the network may require a sign-in: open any http:// page in a browser. "
                + "Otherwise the address belongs to a website, not to the service."
        )
    }

    static func nothingAt(_ path: String) -> Finding {
        Finding(
            "path-not-found", "There is nothing at the path \(quote(path)) on this server (status 404).",
            advice:
                "Check the path of the URL: before /time/0 it must have the server's setting pathPrefix, or the path of "
                + "the proxy in front of the server."
        )
    }

    static let pageAtRoot = Finding(
        "web-page", "The server at this address answers with a web page.",
        advice:
            "This is normal if a website and the service share the address. If later steps fail, the network may require "
            + "a sign-in first.")

    static let notHTTP = Finding(
        "not-http", "The program that listens at this address does not speak HTTP.",
        advice: "Check the port: another program uses it.")

    static let tlsExpected = Finding(
        "tls-expected", "The server requires TLS on this port.", advice: "Use https or wss in the address, instead of http or ws."
    )

    static let noAnswer = Finding(
        "no-answer", "The server accepts the connection but does not answer.",
        advice:
            "The server is overloaded or hangs, or a load balancer waits for a server that does not run. Check the server's log.")

    static let cut = Finding(
        "cut", "The server closes the connection instead of answering.",
        advice: "Check that the port in the URL is right, and look at the log of the server or of the proxy in front of it.")

    static let noDate = "the server's answer has no date"

    static func clock(off seconds: Int64, isSigned: Bool) -> Finding {
        let minutes = (seconds.magnitude + 30) / 60
        let words = minutes < 120 ? "\(minutes) minutes" : minutes < 2880 ? "\(minutes / 60) hours" : "\(minutes / 1440) days"
        let limit =
            isSigned
            ? "Signatures contain the time: requests are refused if the clock is more than 10 minutes off."
            : "The server will refuse signed requests because of the time in their signatures."
        return Finding(
            "clock-off", "This machine's clock is \(words) \(seconds > 0 ? "ahead of" : "behind") the server's. \(limit)",
            advice:
                "Set this machine's clock, preferably by time synchronisation (NTP). If this clock is right, set the server's clock."
        )
    }

    /// The finding for an HTTP answer that does not complete the WebSocket upgrade.
    ///
    /// - Parameters:
    ///   - path: the requested path.
    ///   - location: the target of a redirect.
    static func upgrade(status: Int, isPage: Bool, location: String?, path: String) -> Finding {
        switch status {
        case 511: signInRequired
        case 300..<400: redirected(to: location)
        case 200..<300 where isPage: webPage(status: status)
        case 100..<300:
            Finding(
                "no-websocket", "The server answers \(status) and does not switch to WebSocket.",
                advice: "A proxy or load balancer in between drops the header Upgrade: let it pass Upgrade and Connection on.")
        case 401, 403:
            Finding(
                "upgrade-denied", "The server denies access (status \(status)).",
                advice:
                    "A proxy in front of the service requires a sign-in, blocks this machine's address, or does not "
                    + "allow the origin. Check its rules."
            )
        case 404:
            Finding(
                "upgrade-not-found", "There is nothing at the path \(quote(path)) on this server (status 404).",
                advice:
                    "Check the path of the URL: a server behind a proxy may have a path prefix. The URL may also name "
                    + "another server than you expect."
            )
        case 400, 426:
            Finding(
                "upgrade-refused", "The server does not recognise a WebSocket request (status \(status)).",
                advice:
                    "A proxy in between probably drops the header Upgrade, or speaks HTTP/1.0 to the server: set it up for WebSocket."
            )
        case 407:
            Finding(
                "proxy-credentials-missing", "A proxy in between requires credentials (status 407).",
                advice: "Name the proxy with --proxy http://USER:PASSWORD@HOST:PORT.")
        case 429, 503:
            Finding(
                "overloaded", "The server accepts no more connections now (status \(status)).",
                advice: "Try again later. If the problem remains, look at the server's limits and its load.")
        case 502, 504:
            Finding(
                "gateway", "The proxy in front of the service cannot reach it (status \(status)).",
                advice: "Start the service, or correct the address to which the proxy forwards.")
        default:
            Finding(
                "upgrade-failed", "The server answers the WebSocket request with status \(status).",
                advice: "Look for the cause in the server's log, at the time of this test.")
        }
    }

    static func malformedUpgrade(_ words: String) -> Finding {
        Finding(
            "upgrade-malformed", "The server's answer is not a WebSocket handshake: \(words)",
            advice: "A proxy in between changes the answer, or the server is not a WebSocket server. Try without the proxy.")
    }
}
