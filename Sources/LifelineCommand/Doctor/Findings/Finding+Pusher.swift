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
                "tls-required", meaning: "The app accepts connections with TLS only", advice: "Use https or wss in the address.")
        case 4001 where words.lowercased().contains("cluster"):
            return finding(
                "wrong-cluster", meaning: "The key \(quote(key)) is of an app in another cluster",
                advice: "Give the cluster that stands beside the app's keys, with --cluster.")
        case 4001:
            return finding(
                "app-unknown", meaning: "The server knows no app with the key \(quote(key))",
                advice:
                    "Compare the key with the app's page or the server's settings; the app id and the secret are other values. "
                    + "With Pusher's own servers, check the cluster too.")
        case 4003:
            return finding(
                "app-disabled", meaning: "The app is switched off",
                advice: "Enable the app in the dashboard or the server's settings.")
        case 4004:
            return finding(
                "over-quota", meaning: "The app has reached its limit of connections",
                advice: "Close unused connections, or raise the limit of the plan or the server.")
        case 4005:
            return finding(
                "path-not-found", meaning: "There is nothing at the path \(quote(path))",
                advice: "The path is /app/KEY, behind the server's prefix if it has one.")
        case 4006...4008:
            return finding(
                "protocol-unsupported", meaning: "The server does not support version 7 of the protocol",
                advice: "Update the server: it is very old, or uses another protocol.")
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
                    "Sign the user in or subscribe to a private channel soon after connecting; with --secret this program does.")
        case 4100:
            return finding(
                "over-capacity", meaning: "The server is over its capacity",
                advice: "Try again later; add servers if this happens often.")
        case 4200...4299:
            return finding(
                "server-restart", meaning: "The server asks to connect again",
                advice: "It is being restarted: try again in a moment.")
        default:
            return finding(
                "closed", meaning: "The server ends the connection", advice: "Look at the server's log at this moment.")
        }
    }

    static let neverGreets = Finding(
        "no-greeting", "The WebSocket is open, and the server does not send pusher:connection_established.",
        advice: "This is a WebSocket server, but not for Pusher clients, or it hangs. Check the path and the server's log.")

    static func notPusher(_ event: String?) -> Finding {
        Finding(
            "not-pusher",
            event.map { "The server greets with \(quote($0)) and not with pusher:connection_established." }
                ?? "The first message of the server is not of the Pusher protocol.",
            advice: "Another kind of WebSocket server listens there: check host, port and path.")
    }

    static func cut(after what: String, close code: Int?) -> Finding {
        Finding(
            "cut-after-\(what.replacing(" ", with: "-"))",
            "The connection is cut right after the \(what)\(code.map { " (code \($0))" } ?? ", without a word").",
            advice:
                "The server crashed, or something in between cuts WebSockets: check the server's log, then try without proxies."
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
            advice: "The server hangs, or cannot reach its backend (such as Redis): look at its log.")
    }

    static func subscriptionRefused(_ channel: String, words: String, isSigned: Bool) -> Finding {
        Finding(
            "subscription-refused",
            "The server refuses the subscription to \(quote(channel))\(words.isEmpty ? "." : ": \(quote(words))")",
            advice: isSigned
                ? "The secret is probably not that of this key: compare both with the app's page or the server's settings."
                : "Channels whose names begin with private- or presence- need --secret; other names have letters, digits and _-=@,.; only."
        )
    }

    static func publishRefused(status: Int, words: String, appID: String) -> Finding {
        let said = words.isEmpty ? "" : " It says: \(quote(words))"
        return switch status {
        case 401:
            Finding(
                "publish-unauthorised", "The HTTP API refuses the signature (status 401).\(said)",
                advice: "Check the secret, that key and --app-id \(quote(appID)) belong to it, and this machine's clock.")
        case 403:
            Finding(
                "publish-forbidden", "The HTTP API refuses (status 403): the app is disabled or over its quota.\(said)",
                advice: "Look at the app's page or the server's settings.")
        case 404:
            Finding(
                "app-id-unknown", "The HTTP API knows no app \(quote(appID)) (status 404).\(said)",
                advice: "Give the app's number with --app-id. Behind a proxy, the path /apps has to be forwarded as well as /app."
            )
        case 413:
            Finding(
                "publish-too-large", "The HTTP API finds the message too large (status 413).\(said)",
                advice: "Raise the server's limit.")
        default:
            Finding(
                "publish-refused", "The HTTP API answers with status \(status).\(said)",
                advice: "Check that the HTTP API is at this address; look at the server's log.")
        }
    }

    static func publishFailed(_ words: String) -> Finding {
        Finding(
            "publish-failed", "The HTTP API cannot be asked: \(quote(words))",
            advice: "The connection works and the API does not: check that the path /apps is forwarded to the server.")
    }

    static func notDelivered(_ channel: String) -> Finding {
        Finding(
            "not-delivered", "The message was accepted, and it did not arrive on \(quote(channel)).",
            advice:
                "The message may have gone to another server that does not share its channels with this one. Check the adapter (such as Redis), and the app id."
        )
    }
}
