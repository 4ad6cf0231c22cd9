/// A user's entering or leaving of an open channel (chat-protocol.md, section 8).
public struct ChatWireOpenAction: Hashable, Sendable {
    public var user: String
    public var isJoin: Bool

    public init(user: String, isJoin: Bool) {
        self.user = user
        self.isJoin = isJoin
    }
}

/// A change of an open channel's metadata. `value` is nil when the key was removed.
public struct ChatOpenChange: Hashable, Sendable {
    public var key: String
    public var value: String?

    public init(key: String, value: String?) {
        self.key = key
        self.value = value
    }
}

/// A key and its value in an open channel's metadata.
public struct ChatOpenEntry: Hashable, Sendable {
    public var key: String
    public var value: String
    public var owner: String

    public init(key: String, value: String, owner: String) {
        self.key = key
        self.value = value
        self.owner = owner
    }
}

/// An event about muted or allowed users of an open channel.
public struct ChatOpenMute: Hashable, Sendable {
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        case muteUsers, unmuteUsers, muteAll, unmuteAll, addAllowlist, removeAllowlist, muteGlobal, unmuteGlobal
    }

    public var channel: String
    public var kind: Kind
    public var users: [String]
    /// The time for which the users are muted, in milliseconds; 0 means without an end.
    public var duration: Int64
    public var time: Int64

    public init(channel: String, kind: Kind, users: [String], duration: Int64, time: Int64) {
        self.channel = channel
        self.kind = kind
        self.users = users
        self.duration = duration
        self.time = time
    }
}

/// The answer to `open.enter`: the data that a client gets when it enters an open channel.
public struct ChatOpenEntrance: Hashable, Sendable {
    public var channel: String
    public var created: Int64
    public var count: Int
    public var entered: Int64
    public var isMutedForAll: Bool
    /// Whether the user is muted in all open channels of the application.
    public var isMuted: Bool
    public var isMutedHere: Bool
    public var isAllowed: Bool
    /// The messages, oldest first.
    public var messages: [ChatMessage]
    /// Whether messages between the client's position and the first of `messages` are missing.
    public var hasMore: Bool
    public var metadata: [ChatOpenEntry]
    /// The channels that the user has left by entering this one, because the application allows only one at a time.
    public var left: [String]

    public init(
        channel: String, created: Int64, count: Int, entered: Int64, isMutedForAll: Bool = false, isMuted: Bool = false,
        isMutedHere: Bool = false, isAllowed: Bool = false, messages: [ChatMessage] = [], hasMore: Bool = false,
        metadata: [ChatOpenEntry] = [], left: [String] = []
    ) {
        self.channel = channel
        self.created = created
        self.count = count
        self.entered = entered
        self.isMutedForAll = isMutedForAll
        self.isMuted = isMuted
        self.isMutedHere = isMutedHere
        self.isAllowed = isAllowed
        self.messages = messages
        self.hasMore = hasMore
        self.metadata = metadata
        self.left = left
    }
}
