import WireCoding

/// Encodes the messages that a client sends. Pusher protocol, Events; rule PW-10.
public enum PusherClientFrames {
    /// The message `pusher:subscribe`.
    ///
    /// - Parameters:
    ///   - auth: `key:signature`, for channels that need an authorisation; nil for others.
    ///   - channelData: for presence channels, the JSON text that the application's server has signed; it is sent as a string.
    ///   - recover: the position after which events are missing, for servers that can replay events.
    public static func subscribe(
        channel: String, auth: String? = nil, channelData: String? = nil, recover: PusherRecoverRequest? = nil
    ) -> String {
        var out: [UInt8] = []
        JSONWriter.append("{\"event\":\"pusher:subscribe\",\"data\":{\"channel\":", to: &out)
        JSONWriter.appendString(channel, to: &out)
        if let auth {
            JSONWriter.append(",\"auth\":", to: &out)
            JSONWriter.appendString(auth, to: &out)
        }
        if let channelData {
            JSONWriter.append(",\"channel_data\":", to: &out)
            JSONWriter.appendString(channelData, to: &out)
        }
        if let recover {
            JSONWriter.append(",\"recover\":", to: &out)
            recover.append(to: &out)
        }
        JSONWriter.append("}}", to: &out)
        return String(decoding: out, as: UTF8.self)
    }

    public static func unsubscribe(channel: String) -> String {
        "{\"event\":\"pusher:unsubscribe\",\"data\":{\"channel\":\(JSONWriter.string(channel))}}"
    }

    public static let ping = #"{"event":"pusher:ping","data":{}}"#
    public static let pong = #"{"event":"pusher:pong","data":{}}"#

    /// The message `pusher:signin`.
    ///
    /// - Parameter userData: the JSON text that the application's server has signed; it is sent as a string.
    public static func signin(auth: String, userData: String) -> String {
        "{\"event\":\"pusher:signin\",\"data\":{\"auth\":\(JSONWriter.string(auth)),"
            + "\"user_data\":\(JSONWriter.string(userData))}}"
    }

    /// A message with any event name.
    ///
    /// - Parameter json: the data as JSON text, which is sent unchanged; the caller must have checked it.
    public static func event(name: String, channel: String? = nil, json: String) -> String {
        var out: [UInt8] = []
        out.reserveCapacity(json.utf8.count + 96)
        JSONWriter.append("{\"event\":", to: &out)
        JSONWriter.appendString(name, to: &out)
        if let channel {
            JSONWriter.append(",\"channel\":", to: &out)
            JSONWriter.appendString(channel, to: &out)
        }
        JSONWriter.append(",\"data\":", to: &out)
        out.append(contentsOf: json.utf8)
        out.append(UInt8(ascii: "}"))
        return String(decoding: out, as: UTF8.self)
    }
}
