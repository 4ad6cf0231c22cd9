import ChatProtocol
import Identifiers
import ServerStorage

/// A user entered or left an open channel.
package struct ChatOpenAction: Hashable, Sendable {
    /// The user's id.
    package var user: Identifier
    /// Whether the user entered; false when the user left.
    package var isJoin: Bool

    /// Makes a value with these properties.
    package init(user: Identifier, isJoin: Bool) {
        self.user = user
        self.isJoin = isJoin
    }
}

/// A metadata entry of an open channel changed; `value` is nil when it was removed.
package struct ChatOpenEntryChange: Hashable, Sendable {
    /// The key of the entry.
    package var key: Identifier
    /// The new value; nil when the entry was removed.
    package var value: String?

    /// Makes a value with these properties.
    package init(key: Identifier, value: String?) {
        self.key = key
        self.value = value
    }
}

/// An event for the participants of an open channel (chat-protocol.md 8).
package struct ChatOpenEvent: Hashable, Sendable {
    /// The kinds of events.
    package enum Kind: Hashable, Sendable {
        /// Participants joined or left; `count` is the new number.
        case members([ChatOpenAction], count: Int)
        /// Metadata changed.
        case metadata([ChatOpenEntryChange])
        /// Users were muted or unmuted. The duration is in ms; 0 for no end.
        case muting(ChatOpenMute.Kind, users: [Identifier], duration: Int64)
        /// Users were banned for `duration` milliseconds; 0 for no limit.
        case banned([Identifier], duration: Int64)
        /// The channel was destroyed, by the application's server or because it was unused.
        case destroyed(isManual: Bool)
    }

    /// The channel's id.
    package var channel: Identifier
    /// The kind of event.
    package var kind: Kind
    /// When it happened, milliseconds since 1970.
    package var time: Int64
    /// The event loops of the participants.
    package var eventLoopIDs: EventLoopSet
}

/// The membership of a session in an open channel.
package struct ChatSeat: Hashable, Sendable {
    /// The session.
    package var session: ChatSessionID
    /// The user's id.
    package var user: Identifier
    /// The channel's id.
    package var channel: Identifier

    /// Makes a value with these properties.
    package init(session: ChatSessionID, user: Identifier, channel: Identifier) {
        self.session = session
        self.user = user
        self.channel = channel
    }
}

/// The event for a user's other devices: one device entered or left an open channel.
package struct ChatOpenSync: Hashable, Sendable {
    /// The channel's id.
    package var channel: Identifier
    /// Whether the user entered; false when the user left.
    package var isJoin: Bool
    /// Whether the user left because of another device, not by a request.
    package var isOtherDevice: Bool
    /// The other sessions of the user, which get the event.
    package var sessions: [ChatSessionID]
}

/// A participant of an open channel.
package struct ChatParticipant: Hashable, Sendable {
    /// The user's id.
    package var user: Identifier
    /// When the user entered, milliseconds since 1970.
    package var entered: Int64
}

/// The answer to a user who enters an open channel.
package struct ChatEntrance: Sendable {
    /// The channel.
    package var channel: ChatDocument.OpenChannel
    /// How many participants the channel has.
    package var count: Int
    /// When the user entered, milliseconds since 1970.
    package var entered: Int64
    /// Whether the user is muted in all open channels.
    package var isMuted: Bool
    /// Whether the user is muted in this channel.
    package var isMutedHere: Bool
    /// Whether the user is on the channel's allowlist.
    package var isAllowed: Bool
    /// The channel's metadata, sorted by key.
    package var entries: [ChatDocument.OpenEntry]
    /// Open channels that the user left because only one is allowed.
    package var left: [Identifier]
    /// The events that the user's entering causes.
    package var news: ChatNews
}
