import WireCoding

/// Encodes the messages that a server sends.
///
/// Pusher protocol, Events. Each message is encoded once and can be sent to any number of connections. `data` is sent as a string that
/// contains JSON, except in `pusher:error`, where the protocol has an object (rules PW-7 to PW-9).
public enum PusherFrames {
    /// The first message of a connection, `pusher:connection_established`.
    ///
    /// - Parameters:
    ///   - activityTimeout: the activity timeout in whole seconds.
    ///   - recovery: the offer of recovery, for connections that requested recovery; nil for others.
    public static func connectionEstablished(
        socketID: String, activityTimeout: Int, recovery: PusherRecoveryOffer? = nil
    ) -> [UInt8] {
        var data: [UInt8] = []
        JSONWriter.append("{\"socket_id\":", to: &data)
        JSONWriter.appendString(socketID, to: &data)
        JSONWriter.append(",\"activity_timeout\":", to: &data)
        JSONWriter.append(activityTimeout, to: &data)
        if let recovery {
            JSONWriter.append(",\"recovery\":{\"messages\":", to: &data)
            JSONWriter.append(recovery.messages, to: &data)
            JSONWriter.append(",\"seconds\":", to: &data)
            JSONWriter.append(recovery.seconds, to: &data)
            data.append(UInt8(ascii: "}"))
        }
        data.append(UInt8(ascii: "}"))
        return frame(PusherEventName.connectionEstablished, data: data)
    }

    /// The confirmation of a subscription, except for presence channels. It always has data, because clients expect it.
    public static func subscriptionSucceeded(channel: String, recovery: PusherRecoveryOutcome? = nil) -> [UInt8] {
        frame(PusherEventName.subscriptionSucceeded, channel: channel, data: Array("{}".utf8), recovery)
    }

    /// The confirmation of a presence subscription, with all members including the new one.
    public static func subscriptionSucceeded(
        channel: String, members: [PusherMember], recovery: PusherRecoveryOutcome? = nil
    ) -> [UInt8] {
        var text = PusherMemberText()
        for member in members { text.append(member) }
        return subscriptionSucceeded(channel: channel, members: [text], count: members.count, recovery: recovery)
    }

    /// The confirmation of a presence subscription, with members that were encoded before.
    ///
    /// - Parameters:
    ///   - members: all members, in one or several encoded texts.
    ///   - count: the number of members.
    package static func subscriptionSucceeded(
        channel: String, members: [PusherMemberText], count: Int, recovery: PusherRecoveryOutcome? = nil
    ) -> [UInt8] {
        let members = members.filter { !$0.isEmpty }
        var out = opening(
            PusherEventName.subscriptionSucceeded, channel: channel, reserving: members.reduce(128) { $0 + $1.byteCount + 2 })
        JSONWriter.append(",\"data\":\"{\\\"presence\\\":{\\\"count\\\":", to: &out)
        JSONWriter.append(count, to: &out)
        JSONWriter.append(",\\\"ids\\\":[", to: &out)
        for (index, text) in members.enumerated() {
            if index > 0 { out.append(UInt8(ascii: ",")) }
            out.append(contentsOf: text.ids)
        }
        JSONWriter.append("],\\\"hash\\\":{", to: &out)
        for (index, text) in members.enumerated() {
            if index > 0 { out.append(UInt8(ascii: ",")) }
            out.append(contentsOf: text.hash)
        }
        JSONWriter.append("}}}\"", to: &out)
        close(&out, recovery)
        return out
    }

    public static func memberAdded(channel: String, member: PusherMember) -> [UInt8] {
        frame(PusherEventName.memberAdded, channel: channel, data: Array(member.json.utf8))
    }

    public static func memberRemoved(channel: String, userID: String) -> [UInt8] {
        frame(PusherEventName.memberRemoved, channel: channel, data: Array(PusherMember(userID: userID).json.utf8))
    }

    public static func subscriptionCount(channel: String, count: Int) -> [UInt8] {
        var data: [UInt8] = []
        JSONWriter.append("{\"subscription_count\":", to: &data)
        JSONWriter.append(count, to: &data)
        data.append(UInt8(ascii: "}"))
        return frame(PusherEventName.subscriptionCount, channel: channel, data: data)
    }

    /// The message that a cache channel has no cached event, `pusher:cache_miss`.
    public static func cacheMiss(channel: String) -> [UInt8] {
        frame(PusherEventName.cacheMiss, channel: channel, data: Array("{}".utf8))
    }

    /// The message `pusher:error`.
    ///
    /// - Parameter channel: the channel that the error concerns; nil for none.
    public static func error(code: Int?, message: String, channel: String? = nil) -> [UInt8] {
        var out: [UInt8] = []
        JSONWriter.append("{\"event\":\"pusher:error\",\"data\":{\"code\":", to: &out)
        if let code { JSONWriter.append(code, to: &out) } else { JSONWriter.append("null", to: &out) }
        JSONWriter.append(",\"message\":", to: &out)
        JSONWriter.appendString(message, to: &out)
        out.append(UInt8(ascii: "}"))
        if let channel {
            JSONWriter.append(",\"channel\":", to: &out)
            JSONWriter.appendString(channel, to: &out)
        }
        out.append(UInt8(ascii: "}"))
        return out
    }

    public static let ping = frame(PusherEventName.ping, data: Array("{}".utf8))
    public static let pong = frame(PusherEventName.pong, data: Array("{}".utf8))

    /// The confirmation of a sign-in, with the user data exactly as the client sent it.
    public static func signinSuccess(userData: String) -> [UInt8] {
        var data: [UInt8] = []
        JSONWriter.append("{\"user_data\":", to: &data)
        JSONWriter.appendString(userData, to: &data)
        data.append(UInt8(ascii: "}"))
        return frame(PusherEventName.signinSuccess, data: data)
    }

    /// The message that users of the receiver's watchlist came online or went offline. Pusher protocol, `pusher_internal:watchlist_events`.
    public static func watchlistEvents(_ changes: [PusherWatchlistChange]) -> [UInt8] {
        var data: [UInt8] = []
        JSONWriter.append("{\"events\":[", to: &data)
        for (index, change) in changes.enumerated() {
            if index > 0 { data.append(UInt8(ascii: ",")) }
            JSONWriter.append("{\"name\":", to: &data)
            JSONWriter.appendString(change.name, to: &data)
            JSONWriter.append(",\"user_ids\":[", to: &data)
            for (index, id) in change.userIDs.enumerated() {
                if index > 0 { data.append(UInt8(ascii: ",")) }
                JSONWriter.appendString(id, to: &data)
            }
            JSONWriter.append("]}", to: &data)
        }
        JSONWriter.append("]}", to: &data)
        return frame(PusherEventName.watchlistEvents, data: data)
    }

    /// The message of an event that a server or a client has published.
    ///
    /// - Parameters:
    ///   - data: the publisher's data, unchanged; it is sent as a JSON string.
    ///   - userID: the sender of a client event on a presence channel; nil for other events.
    public static func event(name: String, channel: String, data: String, userID: String? = nil) -> [UInt8] {
        var out = opening(name, channel: channel, reserving: data.utf8.count + data.utf8.count / 4)
        JSONWriter.append(",\"data\":", to: &out)
        JSONWriter.appendString(data, to: &out)
        if let userID {
            JSONWriter.append(",\"user_id\":", to: &out)
            JSONWriter.appendString(userID, to: &out)
        }
        out.append(UInt8(ascii: "}"))
        return out
    }

    /// The message of an event without its channel, so that it can be sent on any channel. The two parts are the text before the channel's
    /// name and the text after it; the name has to be inserted as a JSON string.
    package static func event(name: String, data: String) -> (before: [UInt8], after: [UInt8]) {
        var before = opening(name, channel: nil, reserving: 16)
        JSONWriter.append(",\"channel\":", to: &before)
        var after: [UInt8] = []
        after.reserveCapacity(data.utf8.count + data.utf8.count / 4 + 16)
        JSONWriter.append(",\"data\":", to: &after)
        JSONWriter.appendString(data, to: &after)
        after.append(UInt8(ascii: "}"))
        return (before, after)
    }

    private static func frame(
        _ event: String, channel: String? = nil, data: [UInt8], _ recovery: PusherRecoveryOutcome? = nil
    ) -> [UInt8] {
        var out = opening(event, channel: channel, reserving: data.count + data.count / 4)
        JSONWriter.append(",\"data\":", to: &out)
        JSONWriter.appendString(data, to: &out)
        close(&out, recovery)
        return out
    }

    private static func close(_ out: inout [UInt8], _ recovery: PusherRecoveryOutcome?) {
        if let recovery {
            out.append(contentsOf: ",\"position\":\"\(recovery.position)\"".utf8)
            if let recovered = recovery.recovered { out.append(contentsOf: ",\"recovered\":\(recovered)".utf8) }
        }
        out.append(UInt8(ascii: "}"))
    }

    private static func opening(_ event: String, channel: String?, reserving: Int) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(event.utf8.count + (channel?.utf8.count ?? 0) + reserving + 64)
        JSONWriter.append("{\"event\":", to: &out)
        JSONWriter.appendString(event, to: &out)
        if let channel {
            JSONWriter.append(",\"channel\":", to: &out)
            JSONWriter.appendString(channel, to: &out)
        }
        return out
    }
}
