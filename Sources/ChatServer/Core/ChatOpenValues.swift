import ChatProtocol
import Identifiers
import ServerStorage

/// A user's entering or leaving of an open channel.
package struct ChatOpenAction: Hashable, Sendable {
    /// The user's id.
    package var user: Identifier
    /// Whether the user entered; false when the user left.
    package var isJoin: Bool

    package init(user: Identifier, isJoin: Bool) {
        self.user = user
        self.isJoin = isJoin
    }
}

/// A change of a metadata entry of an open channel.
package struct ChatOpenEntryChange: Hashable, Sendable {
    /// The key of the metadata entry.
    package var key: Identifier
    /// The new value; nil when the entry was removed.
    package var value: String?

    package init(key: Identifier, value: String?) {
        self.key = key
        self.value = value
    }
}

/// An event for the participants of an open channel (chat-protocol.md, section 8).
package struct ChatOpenEvent: Hashable, Sendable {
    /// The kinds of events in an open channel.
    package enum Kind: Hashable, Sendable {
        /// Participants joined or left; `count` is the new number.
        case members([ChatOpenAction], count: Int)
        /// Metadata changed.
        case metadata([ChatOpenEntryChange])
        /// Users were muted or unmuted. The duration is in ms; 0 means without an end.
        case muting(ChatOpenMute.Kind, users: [Identifier], duration: Int64)
        /// Users were banned for `duration` milliseconds; 0 means without an end.
        case banned([Identifier], duration: Int64)
        /// The channel was destroyed, by the application's server or because it was unused.
        case destroyed(isManual: Bool)
    }

    /// The channel's id.
    package var channel: Identifier
    /// The kind of the event, with its data.
    package var kind: Kind
    /// The time of the event, in milliseconds since 1970.
    package var time: Int64
    /// The event loops that have sessions in the channel.
    package var eventLoopIDs: EventLoopSet
}

/// A session that is in an open channel.
package struct ChatSeat: Hashable, Sendable {
    /// The session.
    package var session: ChatSessionID
    /// The user's id.
    package var user: Identifier
    /// The channel's id.
    package var channel: Identifier

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
    /// The reason of the event. False: the user left by a request. True: a device of the user entered this channel, or entered another
    /// channel, so that the user left this one.
    package var isOtherDevice: Bool
    /// The user's other sessions. They receive the event.
    package var sessions: [ChatSessionID]
}

/// A participant of an open channel.
package struct ChatParticipant: Hashable, Sendable {
    /// The user's id.
    package var user: Identifier
    /// When the user entered, milliseconds since 1970.
    package var entered: Int64
}

/// The result for a user who has entered an open channel.
package struct ChatEntrance: Sendable {
    /// The channel.
    package var channel: ChatDocument.OpenChannel
    /// The number of participants after the user has entered.
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
    /// The open channels that the user left, because the application allows only one at a time.
    package var left: [Identifier]
    /// The notifications of the user's entering.
    package var news: ChatNews
}
