import WireCoding

/// The data of `pusher:subscribe`, parsed by a server.
public struct PusherSubscribeData: Hashable, Sendable {
    public var channel: String
    public var auth: String?
    /// For presence channels, the JSON text about the member that the application's server has signed.
    public var channelData: String?
    /// The position after which the client requests a replay of missed events.
    public var recover: PusherRecoverRequest?

    /// Parses the `data` of a message, which may be an object or a string that contains an object. Nil when it has no channel.
    public init?(parsing data: String?) {
        guard let data, let members = (try? JSONText(data))?.members else { return nil }
        var channel: String?
        for member in members {
            switch member.key {
            case "channel": channel = member.value.string
            case "auth": auth = member.value.string
            case "channel_data": channelData = member.value.string ?? (member.value.isNull ? nil : member.value.text)
            case "recover": recover = PusherRecoverRequest(parsing: member.value)
            default: continue
            }
        }
        guard let channel else { return nil }
        self.channel = channel
    }
}

/// The data of `pusher:signin`, parsed by a server.
public struct PusherSigninData: Hashable, Sendable {
    public var auth: String
    /// The JSON text with the user's id that the application's server has signed.
    public var userData: String

    /// Parses the `data` of a message. Nil when `auth` or `user_data` is missing.
    public init?(parsing data: String?) {
        guard let data, let object = try? JSONText(data), let auth = object["auth"]?.string,
            let userData = object["user_data"]?.string
        else { return nil }
        self.auth = auth
        self.userData = userData
    }
}

/// The data of `pusher:error`, parsed by a client.
public struct PusherErrorData: Hashable, Sendable {
    public var code: Int?
    public var message: String

    /// Whether the code asks for an immediate reconnect, for example at a restart of the server. Pusher protocol, Close codes.
    var isRestart: Bool { code.map((4200...4299).contains) ?? false }

    /// Parses the `data` of a message: an object, or a string that contains an object, as Reverb sends it. Missing members are allowed.
    /// Text that is not JSON becomes the error's message.
    public init(parsing data: String?) {
        let object = data.flatMap { try? JSONText($0) }
        let parsed = object?.kind == .object ? object : nil
        code = parsed?["code"].flatMap { $0.integer ?? $0.string.flatMap { Int($0) } }
        message = parsed?["message"]?.string ?? (parsed == nil ? object?.string ?? data ?? "" : "")
    }
}
