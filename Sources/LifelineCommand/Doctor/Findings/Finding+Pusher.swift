import PusherProtocol

/// Findings about a server that speaks the Pusher protocol.
extension Finding {
    /// A finding about a close frame or an error message with a code (Pusher protocol, Error codes).
    ///
    /// - Parameter words: the server's own text, if there is any.
    static func pusher(code: Int, words: String, key: String, path: String) -> Finding {
        let said = words.isEmpty ? "" : " The server says: \(quote(words))"
        func finding(_ name: String, meaning: String, advice: String) -> Finding {
            Finding(name, "\(meaning) (code \(code)).\(said)", advice: advice)
        }
        switch code {
        case 4000:
            return finding(
                "tls-required", meaning: "The app accepts connections with TLS only", advice: "Use https or wss in the URL.")
        case 4001 where words.lowercased().contains("cluster"):
            return finding(
                "wrong-cluster", meaning: "The key \(quote(key)) is of an app in another cluster",
                advice: "Give the app's cluster with --cluster. The page with the app's keys shows it.")
        case 4001:
            return finding(
                "app-unknown", meaning: "The server knows no app with the key \(quote(key))",
                advice:
                    "Compare the key with the app's page or the server's settings. The app id and the secret are not the "
                    + "key. With Pusher's own servers, check the cluster too.")
        case 4003:
            return finding(
                "app-disabled", meaning: "The app is switched off",
                advice: "Enable the app in the dashboard or the server's settings.")
        case 4004:
            return finding(
                "over-quota", meaning: "The app has reached its limit of connections",
                advice: "Close unused connections, or raise the limit of connections in the app's plan or the server's settings.")
        case 4005:
            return finding(
                "path-not-found", meaning: "There is nothing at the path \(quote(path))",
                advice: "Correct the path of the URL: it must be /app/KEY, after the server's path prefix if there is one.")
        case 4006...4008:
            return finding(
                "protocol-unsupported", meaning: "The server does not support version 7 of the protocol",
                advice: "Update the server: it is very old, or uses another protocol than Pusher's.")
        case 4009 where words.lowercased().contains("origin"):
            return finding(
                "origin-refused", meaning: "The app accepts connections from certain web pages only",
                advice:
                    "Add the page's origin to the app's allowed origins. If the server also requires an origin from programs, it must allow all."
            )
        case 4009:
            return finding(
                "connection-unauthorised",
                meaning: "The app requires connections to be authorised, and this one was not authorised in time",
                advice:
                    "Clients must sign the user in or subscribe to a private channel soon after connecting. With "
                    + "--secret this program does so.")
        case 4100:
            return finding(
                "over-capacity", meaning: "The server is over its capacity",
                advice: "Try again later. If this error occurs often, add servers.")
        case 4200...4299:
            return finding(
                "server-restart", meaning: "The server asks to connect again",
                advice: "The server is being restarted: try again in a moment.")
        default:
            return finding(
                "closed", meaning: "The server ends the connection",
                advice: "Look for the cause in the server's log, at the time of this test.")
        }
    }

    static let neverGreets = Finding(
        "no-greeting", "The WebSocket is open, but the server does not send pusher:connection_established.",
        advice: "The WebSocket server at this address is not a Pusher server, or it hangs. Check the path and the server's log.")

    static func notPusher(_ event: String?) -> Finding {
        Finding(
            "not-pusher",
            event.map { "The server's first message is \(quote($0)) instead of pusher:connection_established." }
                ?? "The server's first message does not follow the Pusher protocol.",
            advice: "Another kind of WebSocket server listens at this address: check host, port and path.")
    }

    static func cut(after what: String, close code: Int?) -> Finding {
        Finding(
            "cut-after-\(what.replacing(" ", with: "-"))",
            "The connection is cut right after the \(what)\(code.map { " (code \($0))" } ?? ", without a word").",
            advice:
                "The server crashed, or a proxy in between closes WebSockets: check the server's log, then try without proxies."
        )
    }

    static let noPong = Finding(
        "no-pong", "The server does not answer pusher:ping.",
        advice:
            "Clients will treat the connection as dead and reconnect. The server hangs or does not follow the protocol."
    )

    static func notConfirmed(_ channel: String) -> Finding {
        Finding(
            "not-confirmed", "The server does not confirm the subscription to \(quote(channel)).",
            advice: "The server hangs, or cannot reach its backend (such as Redis): look at the server's log.")
    }

    static func subscriptionRefused(_ channel: String, words: String, isSigned: Bool) -> Finding {
        Finding(
            "subscription-refused",
            "The server refuses the subscription to \(quote(channel))\(words.isEmpty ? "." : ": \(quote(words))")",
            advice: isSigned
                ? "The secret probably belongs to another key: compare both with the app's page or the server's settings."
                : "Channels whose names begin with private- or presence- need --secret. Other names may contain only "
                    + "letters, digits and the characters _-=@,.;"
        )
    }

    static func publishRefused(status: Int, words: String, appID: String) -> Finding {
        let said = words.isEmpty ? "" : " It says: \(quote(words))"
        return switch status {
        case 401:
            Finding(
                "publish-unauthorised", "The HTTP API refuses the signature (status 401).\(said)",
                advice:
                    "Check that the secret belongs to the key and to --app-id \(quote(appID)), and check this machine's clock.")
        case 403:
            Finding(
                "publish-forbidden", "The HTTP API refuses (status 403): the app is disabled or over its quota.\(said)",
                advice: "Check on the app's page or in the server's settings whether the app is disabled or over its quota.")
        case 404:
            Finding(
                "app-id-unknown", "The HTTP API knows no app \(quote(appID)) (status 404).\(said)",
                advice: "Give the app's id with --app-id. A proxy must forward the path /apps as well as /app."
            )
        case 413:
            Finding(
                "publish-too-large", "The HTTP API finds the message too large (status 413).\(said)",
                advice: "Raise the server's limit for the size of messages.")
        default:
            Finding(
                "publish-refused", "The HTTP API answers with status \(status).\(said)",
                advice: "Check that the HTTP API is at this address, and look for the cause in the server's log.")
        }
    }

    static func publishFailed(_ words: String) -> Finding {
        Finding(
            "publish-failed", "The HTTP API cannot be asked: \(quote(words))",
            advice: "The WebSocket works, but the HTTP API does not: check that the proxy forwards the path /apps to the server.")
    }

    static func notDelivered(_ channel: String) -> Finding {
        Finding(
            "not-delivered", "The server accepted the message, but the message did not arrive on \(quote(channel)).",
            advice:
                "The message may have gone to another server that does not share its channels with this one. Check the adapter (such as Redis), and the app id."
        )
    }
}
