import Testing

/// Every kind of channel that the neutral API has. What one service promises, all promise, or say that they cannot.
enum ServiceUnderTest: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case pusherPublic, pusherPrivate, pusherPresence, pusherEncrypted
    case pubnub, pubnubEncrypted
    case chatOpen, chatGroup

    var testDescription: String { rawValue }

    var channel: String { channel(named: "room") }
    /// Another channel of the same kind, for what must not arrive.
    var other: String { channel(named: "other") }

    private func channel(named name: String) -> String {
        switch self {
        case .pusherPublic, .pubnub, .pubnubEncrypted, .chatOpen: name
        case .pusherPrivate: "private-" + name
        case .pusherPresence: "presence-" + name
        case .pusherEncrypted: "private-encrypted-" + name
        case .chatGroup: "group:" + name
        }
    }

    /// As errors name it.
    var serviceName: String {
        switch self {
        case .pusherPublic, .pusherPrivate, .pusherPresence, .pusherEncrypted: "Pusher Channels"
        case .pubnub, .pubnubEncrypted: "PubNub"
        case .chatOpen, .chatGroup: "Nexconn Chat"
        }
    }

    var isPusher: Bool { serviceName == "Pusher Channels" }

    /// Whether a message needs no connection to be published.
    var publishesByHTTP: Bool { ![.pusherPrivate, .chatOpen, .chatGroup].contains(self) }

    var hasPresence: Bool { [.pusherPresence, .pubnub, .pubnubEncrypted, .chatOpen].contains(self) }
    /// Whether a client can change what others see of its user.
    var changesOwnPresence: Bool { [.pubnub, .pubnubEncrypted].contains(self) }
    /// Whether there are typing indicators. Chat has them on direct channels only.
    var showsTyping: Bool { [.pusherPrivate, .pusherPresence, .pubnub, .pubnubEncrypted].contains(self) }
    var hasReactions: Bool { [.pubnub, .pubnubEncrypted].contains(self) }
    /// Whether the service can be asked who is there.
    var tellsMembers: Bool { hasPresence || self == .chatGroup }
    var hasHistory: Bool { !isPusher }
    /// Whether the service resends what was missed in an outage. Client events of Pusher are not kept.
    var catchesUp: Bool { self != .pusherPrivate }
    /// Whether messages have an id, a publisher and a time.
    var describesMessages: Bool { !isPusher }
    var isEncrypted: Bool { self == .pusherEncrypted || self == .pubnubEncrypted }

    /// Names that cannot be a channel's.
    var badNames: [String] {
        switch self {
        case .pusherPublic, .pusherPrivate, .pusherPresence, .pusherEncrypted:
            ["", "two words", String(repeating: "x", count: 201)]
        case .pubnub, .pubnubEncrypted: ["", "a,b", "a*b", "a,\u{301}b", "a\u{600}*b", "a\u{600}-pnpres"]
        case .chatOpen, .chatGroup: ["", "group:", String(repeating: "x", count: 65)]
        }
    }
}
