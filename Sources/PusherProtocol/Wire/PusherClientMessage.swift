import WireCoding

/// The data of `pusher:subscribe`, as a server reads it.
public struct PusherSubscribeData: Hashable, Sendable {
    public var channel: String
    public var auth: String?
    /// The JSON text that was signed.
    public var channelData: String?
    /// The position from which the client wants events replayed.
    public var recover: PusherRecoverRequest?

    /// Reads an envelope's `data`, which may be an object or a string that holds one. Nil when it names no channel.
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

/// The data of `pusher:signin`, as a server reads it.
public struct PusherSigninData: Hashable, Sendable {
    public var auth: String
    /// The JSON text that was signed.
    public var userData: String

    /// Reads an envelope's `data`. Nil when `auth` or `user_data` is missing.
    public init?(parsing data: String?) {
        guard let data, let object = try? JSONText(data), let auth = object["auth"]?.string,
            let userData = object["user_data"]?.string
        else { return nil }
        self.auth = auth
        self.userData = userData
    }
}

/// The data of `pusher:error`, as a client reads it.
public struct PusherErrorData: Hashable, Sendable {
    public var code: Int?
    public var message: String

    /// Whether the code requests an immediate reconnect, as at a restart. Pusher protocol, Close codes.
    var isRestart: Bool { code.map((4200...4299).contains) ?? false }

    /// Reads an envelope's `data`: an object as the protocol has it, or a string that holds one, as Reverb sends it. Missing members
    /// are tolerated; text that is not JSON becomes the message.
    public init(parsing data: String?) {
        let object = data.flatMap { try? JSONText($0) }
        let parsed = object?.kind == .object ? object : nil
        code = parsed?["code"].flatMap { $0.integer ?? $0.string.flatMap { Int($0) } }
        message = parsed?["message"]?.string ?? (parsed == nil ? object?.string ?? data ?? "" : "")
    }
}
