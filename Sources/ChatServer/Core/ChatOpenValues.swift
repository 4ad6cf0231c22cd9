import Identifiers
import RealtimeHub

/// A user entered or left an open channel.
public struct ChatOpenAction: Hashable, Sendable {
    /// The user's id.
    public var user: Identifier
    /// Whether the user entered; false when the user left.
    public var isJoin: Bool

    /// Makes a value with these properties.
    public init(user: Identifier, isJoin: Bool) {
        self.user = user
        self.isJoin = isJoin
    }
}

/// A metadata entry of an open channel changed; `value` is nil when it was removed.
public struct ChatOpenEntryChange: Hashable, Sendable {
    /// The key of the entry.
    public var key: Identifier
    /// The new value; nil when the entry was removed.
    public var value: String?

    /// Makes a value with these properties.
    public init(key: Identifier, value: String?) {
        self.key = key
        self.value = value
    }
}

/// An event for the participants of an open channel (chat-protocol.md 8).
public struct ChatOpenEvent: Hashable, Sendable {
    /// The kinds of changes of users' right to send messages.
    public enum Muting: String, CaseIterable, Hashable, Sendable {
        /// Some or all users were muted or unmuted, in one channel or in all, or the allowlist changed.
        case muteUsers, unmuteUsers, muteAll, unmuteAll, addAllowlist, removeAllowlist, muteGlobal, unmuteGlobal
    }

    /// The kinds of events.
    public enum Kind: Hashable, Sendable {
        /// Participants joined or left; `count` is the new number.
        case members([ChatOpenAction], count: Int)
        /// Metadata changed.
        case metadata([ChatOpenEntryChange])
        /// Users were muted or unmuted. The duration is in ms; 0 for no end.
        case muting(Muting, users: [Identifier], duration: Int64)
        /// Users were banned for `duration` milliseconds; 0 for no limit.
        case banned([Identifier], duration: Int64)
        /// The channel was destroyed, by the application's server or because it was unused.
        case destroyed(isManual: Bool)
    }

    /// The channel's id.
    public var channel: Identifier
    /// The kind of event.
    public var kind: Kind
    /// When it happened, milliseconds since 1970.
    public var time: Int64
    /// The event loops of the participants.
    public var eventLoopIDs: EventLoopSet
}

/// The membership of a session in an open channel.
public struct ChatSeat: Hashable, Sendable {
    /// The session.
    public var session: ChatSession
    /// The user's id.
    public var user: Identifier
    /// The channel's id.
    public var channel: Identifier

    /// Makes a value with these properties.
    public init(session: ChatSession, user: Identifier, channel: Identifier) {
        self.session = session
        self.user = user
        self.channel = channel
    }
}

/// The event for a user's other devices: one device entered or left an open channel.
public struct ChatOpenSync: Hashable, Sendable {
    /// The channel's id.
    public var channel: Identifier
    /// Whether the user entered; false when the user left.
    public var isJoin: Bool
    /// Whether the user left because of another device, not by a request.
    public var isOtherDevice: Bool
    /// The other sessions of the user, which get the event.
    public var sessions: [ChatSession]
}

/// A participant of an open channel.
public struct ChatParticipant: Hashable, Sendable {
    /// The user's id.
    public var user: Identifier
    /// When the user entered, milliseconds since 1970.
    public var entered: Int64
}

/// The answer to a user who enters an open channel.
public struct ChatEntrance: Sendable {
    /// The channel.
    public var channel: ChatOpenChannel
    /// How many participants the channel has.
    public var count: Int
    /// When the user entered, milliseconds since 1970.
    public var entered: Int64
    /// Whether the user is muted in all open channels.
    public var isMuted: Bool
    /// Whether the user is muted in this channel.
    public var isMutedHere: Bool
    /// Whether the user is on the channel's allowlist.
    public var isAllowed: Bool
    /// The channel's metadata, sorted by key.
    public var entries: [ChatOpenEntry]
    /// Open channels that the user left because only one is allowed.
    public var left: [Identifier]
    /// The events that the user's entering causes.
    public var news: ChatNews
}
