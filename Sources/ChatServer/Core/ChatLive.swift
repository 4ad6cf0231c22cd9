import ChatProtocol
import Identifiers

/// The connected sessions and participants of an application. This part of the state is not in the store. A server needs this part to
/// continue in place of another server.
package struct ChatLive: Sendable {
    /// A session of a user's device.
    package struct Session: Hashable, Sendable {
        /// The session.
        package var session: ChatSessionID
        /// The user's id.
        package var user: Identifier
        /// The device's id.
        package var device: Identifier
        /// The class of the device: mobile, desktop or web.
        package var deviceClass: ChatDevice.Class
        /// When the session's token was issued, milliseconds since 1970.
        package var tokenIssued: Int64
        /// When the session began, milliseconds since 1970.
        package var signedIn: Int64

        package init(
            session: ChatSessionID, user: Identifier, device: Identifier, deviceClass: ChatDevice.Class, tokenIssued: Int64,
            signedIn: Int64
        ) {
            self.session = session
            self.user = user
            self.device = device
            self.deviceClass = deviceClass
            self.tokenIssued = tokenIssued
            self.signedIn = signedIn
        }
    }

    /// A participant of an open channel.
    package struct Participant: Hashable, Sendable {
        /// The open channel's id.
        package var channel: Identifier
        /// The user's id.
        package var user: Identifier
        /// When the user entered, milliseconds since 1970.
        package var entered: Int64
        /// The ids of the user's sessions in the channel; empty while a user who has lost the connection may reconnect.
        package var sessions: [UInt64]
        /// The time when the user leaves the channel, unless a session reconnects; nil for a connected user.
        package var leavesAt: Int64?

        package init(channel: Identifier, user: Identifier, entered: Int64, sessions: [UInt64], leavesAt: Int64?) {
            self.channel = channel
            self.user = user
            self.entered = entered
            self.sessions = sessions
            self.leavesAt = leavesAt
        }
    }

    /// A user's online status.
    package struct Presence: Hashable, Sendable {
        /// The online status that was last reported to other users.
        package var state: ChatPresenceState
        /// The loss of the user's last session, while other users are not notified of it yet; otherwise nil.
        package var leaving: Leaving?

        /// The loss of a user's last session. Until the deadline, other users still see the user as online.
        package struct Leaving: Hashable, Sendable {
            /// The time when other users are notified that the user is offline, in milliseconds since 1970.
            package var deadline: Int64
            /// The time when the last session was lost, in milliseconds since 1970.
            package var since: Int64

            package init(deadline: Int64, since: Int64) {
                self.deadline = deadline
                self.since = since
            }
        }

        package init(state: ChatPresenceState, leaving: Leaving?) {
            self.state = state
            self.leaving = leaving
        }
    }

    /// The sessions.
    package var sessions: [Session] = []
    /// The participants of open channels.
    package var participants: [Participant] = []
    /// The online statuses.
    package var presence: [Presence] = []

    /// An empty value.
    package init() {}
}

/// Changes of a ``ChatLive``: the new values by key; nil for a removed value.
package struct ChatLiveChanges: Sendable {
    /// The changed sessions; the value is nil for a session that has ended.
    package var sessions: [(id: UInt64, value: ChatLive.Session?)] = []
    /// The changed participants; the value is nil for a participant who has left.
    package var participants: [(channel: Identifier, user: Identifier, value: ChatLive.Participant?)] = []
    /// The changed online statuses; the value is nil for a status that is no longer stored.
    package var presence: [(user: Identifier, value: ChatLive.Presence?)] = []

    /// An empty value.
    package init() {}

    /// Whether nothing changed.
    package var isEmpty: Bool { sessions.isEmpty && participants.isEmpty && presence.isEmpty }
}

extension ChatState {
    /// Starts recording changes, which ``takeLiveChanges()`` returns.
    package mutating func recordLiveChanges() {
        devices.touched = []
        rooms.touched = []
        presence.touched = []
    }

    /// Returns the changes of sessions, participants and online statuses since the last call.
    package mutating func takeLiveChanges() -> ChatLiveChanges {
        var changes = ChatLiveChanges()
        if devices.touched?.isEmpty == false {
            for place in devices.touched ?? [] { changes.sessions.append((place.id, devices.live(place))) }
            devices.touched = []
        }
        if rooms.touched?.isEmpty == false {
            for place in rooms.touched ?? [] { changes.participants.append((place.channel, place.user, rooms.live(place))) }
            rooms.touched = []
        }
        if presence.touched?.isEmpty == false {
            for user in presence.touched ?? [] { changes.presence.append((user, presence.live(user))) }
            presence.touched = []
        }
        return changes
    }

    /// Restores the sessions, participants and online statuses of another server, without notifications. Call it before the first sign-in.
    package mutating func restore(_ live: ChatLive, at now: Int64) {
        var sessions: [UInt64: ChatSessionID] = [:]
        for session in live.sessions.sorted(by: { ($0.signedIn, $0.session.id) < ($1.signedIn, $1.session.id) }) {
            sessions[session.session.id] = session.session
            devices.restore(session, limits: application.limits, at: now)
        }
        rooms.restore(live.participants, sessions, grace: application.limits.openGrace, at: now)
        presence.restore(live.presence, devices: devices, grace: application.limits.presenceGrace, at: now)
    }
}

// MARK: - Recorded changes of devices, rooms and presence

extension ChatDevices {
    /// Identifies a session among the recorded changes: by its user, and by its number.
    struct Place: Hashable, Sendable {
        var user: Identifier
        var id: UInt64
    }

    fileprivate func live(_ place: Place) -> ChatLive.Session? {
        devices(of: place.user).first { $0.session.id == place.id }.map { device in
            ChatLive.Session(
                session: device.session, user: place.user, device: device.id, deviceClass: device.deviceClass,
                tokenIssued: device.tokenIssued, signedIn: device.signedIn)
        }
    }
}

extension ChatRooms {
    /// Identifies a participant among the recorded changes: by the open channel, and by the user.
    struct Place: Hashable, Sendable {
        var channel: Identifier
        var user: Identifier
    }

    fileprivate func live(_ place: Place) -> ChatLive.Participant? {
        rooms[place.channel]?.participants[place.user].map { participant in
            ChatLive.Participant(
                channel: place.channel, user: place.user, entered: participant.entered,
                sessions: participant.sessions.map(\.id), leavesAt: participant.leavesAt)
        }
    }
}
