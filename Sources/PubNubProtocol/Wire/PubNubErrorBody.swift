import WireCoding

/// The answer with which a server refuses a request: HTTP status, content type, and a body with the texts that official SDKs compare (rule
/// PN-24).
public struct PubNubErrorBody: Error, Hashable, Sendable {
    public var status: Int
    public var contentType: String
    public var body: [UInt8]

    /// The content type of all refusals except those of the access manager.
    public static let contentType = "text/javascript; charset=\"UTF-8\""
    /// The content type of the access manager's refusals.
    public static let accessManagerContentType = "text/javascript; charset=UTF-8"

    init(_ status: Int, _ body: [UInt8], contentType: String = Self.contentType) {
        self.status = status
        self.contentType = contentType
        self.body = body
    }

    private init(_ status: Int, _ body: String) {
        self.init(status, Array(body.utf8))
    }
}

/// The refusals of publish requests.
extension PubNubErrorBody {
    /// The refusal of a publish request whose publish key is wrong.
    public static func invalidKey(_ now: Timetoken) -> PubNubErrorBody { publish(400, "Invalid Key", at: now) }

    public static func invalidJSON(_ now: Timetoken) -> PubNubErrorBody { publish(400, "Invalid JSON", at: now) }

    /// The text by which PubNub's C library recognises an invalid channel name.
    public static let invalidChannelName = "Invalid Character in Channel Name"

    /// The refusal of a publish request whose channel name is invalid.
    public static func invalidChannel(_ now: Timetoken) -> PubNubErrorBody { publish(400, invalidChannelName, at: now) }

    public static func messageTooLarge(_ now: Timetoken) -> PubNubErrorBody { publish(413, "Message Too Large", at: now) }

    public static func signalTooLarge(_ now: Timetoken) -> PubNubErrorBody { publish(400, "Signal size too large", at: now) }

    /// The refusal of a publish request, with any HTTP status. The publisher gets `text` as the reason.
    public static func publish(_ status: Int, _ text: String, at now: Timetoken) -> PubNubErrorBody {
        PubNubErrorBody(status, PubNubFrames.result(0, text, at: now))
    }
}

/// The refusals of the access manager, and of other services that answer in the access manager's format.
extension PubNubErrorBody {
    public static let invalidSubscribeKey = accessManager(400, "Invalid Subscribe Key")
    /// The refusal of a request for a keyset that exists but is disabled at present.
    public static let disabledKeyset = accessManager(403, "Subscribe Key Disabled")
    public static let couldNotParse = accessManager(400, "Could Not Parse Request")
    public static let serviceUnavailable = accessManager(503, "Service Unavailable")
    public static let tokenIsRevoked = token("Token is revoked")
    public static let tokenIsExpired = token("Token is expired.")

    /// The refusal of a request that lacks rights. It lists only the resources to which access was denied. Names of groups get the leading
    /// colon of PubNub's protocol.
    public static func forbidden(channels: [String] = [], groups: [String] = [], users: [String] = []) -> PubNubErrorBody {
        var out = Array("{\"message\":\"Forbidden\",\"payload\":{".utf8)
        var isFirst = true
        for (key, names) in [("channels", channels), ("channel-groups", groups.map { ":" + $0 }), ("uuids", users)]
        where !names.isEmpty {
            if !isFirst { out.append(UInt8(ascii: ",")) }
            isFirst = false
            JSONWriter.appendString(key, to: &out)
            JSONWriter.append(":[", to: &out)
            for (index, name) in names.enumerated() {
                if index > 0 { out.append(UInt8(ascii: ",")) }
                JSONWriter.appendString(name, to: &out)
            }
            out.append(UInt8(ascii: "]"))
        }
        JSONWriter.append("},\"error\":true,\"service\":\"Access Manager\",\"status\":403}", to: &out)
        return PubNubErrorBody(403, out, contentType: accessManagerContentType)
    }

    /// A refusal in the access manager's format, with any HTTP status and message.
    public static func accessManager(_ status: Int, _ message: String) -> PubNubErrorBody {
        PubNubErrorBody(
            status,
            Array(
                "{\"message\":\(JSONWriter.string(message)),\"error\":true,\"service\":\"Access Manager\",\"status\":\(status)}"
                    .utf8),
            contentType: accessManagerContentType)
    }

    private static func token(_ message: String) -> PubNubErrorBody {
        PubNubErrorBody(
            403,
            Array(
                "{\"error\":true,\"status\":403,\"service\":\"Access Manager\",\"message\":\(JSONWriter.string(message))}".utf8),
            contentType: accessManagerContentType)
    }
}

/// The refusals of subscribe requests, and of requests of any kind.
extension PubNubErrorBody {
    public static let uriTooLong = PubNubErrorBody(
        414, #"{"status":414,"service":"Balancer","error":true,"message":"Request URI Too Long"}"#)
    public static let tooManyRequests = plain(
        429, "You have exceeded the maximum number of requests per second allowed for your subscriber key.")
    public static let bodyTooLarge = plain(413, "Message Too Large")

    /// `{"status":N,"error":true,"message":"…"}`
    public static func plain(_ status: Int, _ message: String) -> PubNubErrorBody {
        PubNubErrorBody(status, "{\"status\":\(status),\"error\":true,\"message\":\(JSONWriter.string(message))}")
    }

    /// The refusal of an invalid filter expression, with status 481. The text of PubNub's own service is unknown, so the subscriber gets
    /// `reason`.
    public static func malformedFilter(_ reason: String) -> PubNubErrorBody {
        PubNubErrorBody(
            481, "{\"message\":\(JSONWriter.string(reason)),\"error\":true,\"service\":\"Subscribe\",\"status\":481}")
    }
}

/// The refusals of group, presence and history requests.
extension PubNubErrorBody {
    public static let reservedCharacter = channelRegistry(400, "Reserved character in input parameters.")
    public static let tooManyGroups = channelRegistry(400, "Maximum channel group count exceeded.")
    public static let noState = presence(400, "No state specified.")
    public static let invalidArguments = PubNubErrorBody(
        400, #"{"status":400,"error":true,"error_message":"Invalid Arguments","channels":{}}"#)
    public static let historyFailed = history(500, "")
    /// The refusal of a deletion that the store could not perform completely. Possibly some messages were deleted; the client can send the
    /// same request again.
    public static let historyUnavailable = history(503, "The change could not be stored. Send the request again later.")

    public static func channelRegistry(_ status: Int, _ message: String) -> PubNubErrorBody {
        PubNubErrorBody(
            status,
            "{\"status\": \(status), \"message\": \(JSONWriter.string(message)), \"service\": \"channel-registry\", \"error\": true}"
        )
    }

    public static func presence(_ status: Int, _ message: String) -> PubNubErrorBody {
        PubNubErrorBody(
            status, "{\"status\": \(status), \"error\": 1, \"message\": \(JSONWriter.string(message)), \"service\": \"Presence\"}"
        )
    }

    /// The presence service's refusal with status 404. `what` is the requested path.
    public static func notFound(_ what: String) -> PubNubErrorBody {
        PubNubErrorBody(
            404, "{\"status\":404,\"message\":\(JSONWriter.string("Not found: '\(what)'")),\"error\":1,\"service\":\"Presence\"}")
    }

    public static func history(_ status: Int, _ message: String) -> PubNubErrorBody {
        PubNubErrorBody(status, "{\"status\": \(status), \"error\": true, \"error_message\": \(JSONWriter.string(message))}")
    }
}
