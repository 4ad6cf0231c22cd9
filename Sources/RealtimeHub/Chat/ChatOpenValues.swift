import Identifiers

/// Somebody came to an open channel, or left it.
public struct ChatOpenAction: Hashable, Sendable {
    public var user: Identifier
    public var isJoin: Bool

    public init(user: Identifier, isJoin: Bool) {
        self.user = user
        self.isJoin = isJoin
    }
}

/// A pair of an open channel's metadata changed; `value` is nil when it was removed.
public struct ChatOpenEntryChange: Hashable, Sendable {
    public var key: Identifier
    public var value: String?

    public init(key: Identifier, value: String?) {
        self.key = key
        self.value = value
    }
}

/// What the participants of an open channel are told (session document 8).
public struct ChatOpenEvent: Hashable, Sendable {
    public enum Muting: String, CaseIterable, Hashable, Sendable {
        case muteUsers, unmuteUsers, muteAll, unmuteAll, addAllowlist, removeAllowlist, muteGlobal, unmuteGlobal
    }

    public enum Kind: Hashable, Sendable {
        /// `count` participants are there now.
        case members([ChatOpenAction], count: Int)
        case metadata([ChatOpenEntryChange])
        /// Durations in ms; 0 for no end.
        case muting(Muting, users: [Identifier], duration: Int64)
        case banned([Identifier], duration: Int64)
        case destroyed(isManual: Bool)
    }

    public var channel: Identifier
    public var kind: Kind
    public var time: Int64
    /// Where the participants are.
    public var eventLoopIDs: EventLoopSet
}

/// A session's place in an open channel.
public struct ChatSeat: Hashable, Sendable {
    public var session: ChatSession
    public var user: Identifier
    public var channel: Identifier

    public init(session: ChatSession, user: Identifier, channel: Identifier) {
        self.session = session
        self.user = user
        self.channel = channel
    }
}

/// What a user's other devices are told: this one entered or left an open channel.
public struct ChatOpenSync: Hashable, Sendable {
    public var channel: Identifier
    public var isJoin: Bool
    /// Whether another device is the reason, rather than the user's own wish.
    public var isOtherDevice: Bool
    public var sessions: [ChatSession]
}

public struct ChatParticipant: Hashable, Sendable {
    public var user: Identifier
    public var entered: Int64
}

/// What somebody learns who enters an open channel.
public struct ChatEntrance: Sendable {
    public var channel: ChatOpenChannel
    public var count: Int
    public var entered: Int64
    /// Muted in all open channels.
    public var isMuted: Bool
    public var isMutedHere: Bool
    public var isAllowed: Bool
    /// By key.
    public var entries: [ChatOpenEntry]
    /// Open channels that the user has left by it.
    public var left: [Identifier]
    public var news: ChatNews
}
