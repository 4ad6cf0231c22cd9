import WireCoding

/// The payload of a presence event on a channel (rules PN-22, PN-23).
public struct PubNubPresenceEvent: Hashable, Sendable {
    /// The kind of a presence event. Values besides the listed ones are possible.
    public struct Action: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        public static let join = Action(rawValue: "join")
        public static let leave = Action(rawValue: "leave")
        public static let timeout = Action(rawValue: "timeout")
        public static let stateChange = Action(rawValue: "state-change")
        public static let interval = Action(rawValue: "interval")
    }

    public var action: Action
    /// The channel of the event, without `-pnpres`.
    public var channel: String
    /// The user of the event; nil for interval events.
    public var user: String?
    /// When the event happened, in seconds since 1970.
    public var timestamp: Int
    /// The number of users after the event.
    public var occupancy: Int
    /// The user's presence state as JSON text, for a change of state and for a join with state; otherwise nil.
    public var state: String?
    /// The users who joined since the last interval event.
    public var joined: [String]
    public var left: [String]
    public var timedOut: [String]
    /// Whether the lists of users were too long to be sent. A client then has to request the users with here-now.
    public var needsRefresh: Bool

    public init(
        _ action: Action, channel: String, user: String? = nil, timestamp: Int, occupancy: Int, state: String? = nil,
        joined: [String] = [], left: [String] = [], timedOut: [String] = [], needsRefresh: Bool = false
    ) {
        self.action = action
        self.channel = channel
        self.user = user
        self.timestamp = timestamp
        self.occupancy = occupancy
        self.state = state
        self.joined = joined
        self.left = left
        self.timedOut = timedOut
        self.needsRefresh = needsRefresh
    }
}

/// Encoding, for servers.
extension PubNubPresenceEvent {
    /// Makes the element of a subscribe answer that carries the event.
    public func envelope(timetoken: Timetoken, region: Int = 1, subscribeKey: String) -> PubNubEnvelope {
        PubNubEnvelope(
            channel: channel + PubNubMessage.presenceSuffix, timetoken: timetoken, region: region, subscribeKey: subscribeKey,
            metadata: metadata, payload: payload)
    }

    /// The payload as JSON text. The keys have the same order as in presence events recorded from PubNub's service.
    public var payload: [UInt8] {
        var out: [UInt8] = []
        JSONWriter.append("{\"action\":", to: &out)
        JSONWriter.appendString(action.rawValue, to: &out)
        if let user {
            JSONWriter.append(",\"uuid\":", to: &out)
            JSONWriter.appendString(user, to: &out)
        }
        JSONWriter.append(",\"timestamp\":", to: &out)
        JSONWriter.append(timestamp, to: &out)
        if let state {
            JSONWriter.append(",\"data\":", to: &out)
            out.append(contentsOf: state.utf8)
        }
        JSONWriter.append(",\"occupancy\":", to: &out)
        JSONWriter.append(occupancy, to: &out)
        for (key, users) in [("join", joined), ("leave", left), ("timeout", timedOut)] where !users.isEmpty {
            out.append(UInt8(ascii: ","))
            JSONWriter.appendString(key, to: &out)
            JSONWriter.append(":[", to: &out)
            for (index, user) in users.enumerated() {
                if index > 0 { out.append(UInt8(ascii: ",")) }
                JSONWriter.appendString(user, to: &out)
            }
            out.append(UInt8(ascii: "]"))
        }
        if needsRefresh { JSONWriter.append(",\"here_now_refresh\":true", to: &out) }
        out.append(UInt8(ascii: "}"))
        return out
    }

    /// The metadata of the event as JSON (the member `u` of the element), which filters can test. The channel is percent-encoded, as in the
    /// events for patterns recorded from PubNub's service.
    public var metadata: [UInt8] {
        var out: [UInt8] = []
        JSONWriter.append("{\"pn_action\":", to: &out)
        JSONWriter.appendString(action.rawValue, to: &out)
        if let user {
            JSONWriter.append(",\"pn_uuid\":", to: &out)
            JSONWriter.appendString(user, to: &out)
        }
        JSONWriter.append(",\"pn_timestamp\":", to: &out)
        JSONWriter.append(timestamp, to: &out)
        JSONWriter.append(",\"pn_occupancy\":", to: &out)
        JSONWriter.append(occupancy, to: &out)
        JSONWriter.append(",\"pn_ispresence\":1,\"pn_channel\":", to: &out)
        JSONWriter.appendString(PercentEncoding.encode(channel), to: &out)
        out.append(UInt8(ascii: "}"))
        return out
    }
}

/// Decoding, for clients.
extension PubNubPresenceEvent {
    /// Reads a presence event. Nil for other messages, and for payloads that are not presence events.
    ///
    /// An event without an action counts as an interval event. Missing numbers count as 0.
    public init?(_ message: PubNubMessage) {
        guard message.isPresence, let body = try? JSONText(message.payload), let members = body.members else { return nil }
        self.init(
            .interval, channel: String(message.channel.dropLast(PubNubMessage.presenceSuffix.count)), timestamp: 0, occupancy: 0)
        for member in members {
            switch member.key {
            case "action": action = member.value.string.map(Action.init(rawValue:)) ?? action
            case "uuid": user = member.value.string
            case "timestamp": timestamp = member.value.integer ?? timestamp
            case "occupancy": occupancy = member.value.integer ?? occupancy
            case "data": state = member.value.isNull ? nil : member.value.text
            case "join": joined = Self.users(member.value)
            case "leave": left = Self.users(member.value)
            case "timeout": timedOut = Self.users(member.value)
            case "here_now_refresh": needsRefresh = member.value.bool ?? false
            default: continue
            }
        }
    }

    private static func users(_ value: JSONText) -> [String] {
        value.elements?.compactMap(\.string) ?? []
    }
}
