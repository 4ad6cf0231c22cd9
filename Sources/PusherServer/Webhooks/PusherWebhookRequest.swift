import HTTPTransport
import PusherProtocol
import ServerRuntime
import ServerStorage
import WireCoding

/// A request to a webhook receiver. Pusher documentation, Webhooks (rules SW-3 to SW-7).
struct PusherWebhookRequest: Sendable {
    let url: String
    let key: String
    /// The current secret of the application. After a change, further attempts are signed with the new secret.
    var secret: Secret
    /// The additional header fields that the application has configured and that may be sent.
    let fields: [HTTPField]

    static let userAgent = "lifeline-webhooks"

    init(_ webhook: Webhook, key: String, secret: Secret) {
        url = webhook.url
        self.key = key
        self.secret = secret
        fields = webhook.headers.sorted { $0.key < $1.key }.compactMap { name, value in
            Webhook.sends(header: name, value: value) ? HTTPField(name, value) : nil
        }
    }

    /// Makes the HTTP call with a batch of events, signed with `secret`.
    ///
    /// - Parameter time: the time of this attempt, in milliseconds since 1970.
    func call(_ events: [WebhookEvent], at time: Int64) -> HTTPCall {
        let body = Self.body(events, at: time)
        let own = [
            HTTPField("Content-Type", "application/json"), HTTPField("User-Agent", Self.userAgent),
            HTTPField("X-Pusher-Key", key),
            HTTPField("X-Pusher-Signature", PusherSignature.sign(body, secret: secret.revealed)),
        ]
        return HTTPCall(method: "POST", url: url, headers: own + fields, body: body)
    }

    static func body(_ events: [WebhookEvent], at time: Int64) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(events.reduce(48) { $0 + $1.body.count + 1 })
        JSONWriter.append(#"{"time_ms":"#, to: &out)
        JSONWriter.append(Int(time), to: &out)
        JSONWriter.append(#","events":["#, to: &out)
        for (index, event) in events.enumerated() {
            if index > 0 { out.append(UInt8(ascii: ",")) }
            out.append(contentsOf: event.body)
        }
        JSONWriter.append("]}", to: &out)
        return out
    }
}

extension Webhook {
    /// Returns whether a configured header field may be sent. Fields that describe the request are set by the server only, and a value must
    /// not contain a line break (rule SW-7).
    public static func sends(header name: String, value: String) -> Bool {
        let reserved: Set<String> = [
            "connection", "content-encoding", "content-length", "content-type", "expect", "host", "keep-alive", "te", "trailer",
            "transfer-encoding", "upgrade", "user-agent", "x-pusher-key", "x-pusher-signature",
        ]
        let isToken = !name.isEmpty && name.utf8.allSatisfy { isTokenByte($0) }
        // A tab is the only control character that a value may contain.
        return isToken && !reserved.contains(name.lowercased())
            && value.utf8.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
