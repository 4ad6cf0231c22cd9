import Identifiers

/// Who is connected to an application, and where: what its store does not keep, and what a server needs that goes on in place of another.
public struct ChatLive: Sendable {
    public struct Session: Hashable, Sendable {
        public var session: ChatSession
        public var user: Identifier
        public var device: Identifier
        public var deviceClass: ChatDeviceClass
        public var tokenIssued: Int64
        public var signedIn: Int64

        public init(
            session: ChatSession, user: Identifier, device: Identifier, deviceClass: ChatDeviceClass, tokenIssued: Int64,
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

    /// Somebody who is in an open channel.
    public struct Participant: Hashable, Sendable {
        public var channel: Identifier
        public var user: Identifier
        public var entered: Int64
        /// The ids of the sessions with which the user is there; empty for somebody who is waited for.
        public var sessions: [UInt64]
        /// When to give up waiting.
        public var leavesAt: Int64?

        public init(channel: Identifier, user: Identifier, entered: Int64, sessions: [UInt64], leavesAt: Int64?) {
            self.channel = channel
            self.user = user
            self.entered = entered
            self.sessions = sessions
            self.leavesAt = leavesAt
        }
    }

    /// How a user stands.
    public struct Presence: Hashable, Sendable {
        public var state: ChatPresenceState
        /// For a user whose last session has ended a moment ago: when others are told, and since when the user has been away.
        public var leaving: Leaving?

        public struct Leaving: Hashable, Sendable {
            public var deadline: Int64
            public var since: Int64

            public init(deadline: Int64, since: Int64) {
                self.deadline = deadline
                self.since = since
            }
        }

        public init(state: ChatPresenceState, leaving: Leaving?) {
            self.state = state
            self.leaving = leaving
        }
    }

    public var sessions: [Session] = []
    public var participants: [Participant] = []
    public var presence: [Presence] = []

    public init() {}
}

/// How a ``ChatLive`` has changed: the values by what names them, nil for what is gone.
public struct ChatLiveChanges: Sendable {
    public var sessions: [(id: UInt64, value: ChatLive.Session?)] = []
    public var participants: [(channel: Identifier, user: Identifier, value: ChatLive.Participant?)] = []
    public var presence: [(user: Identifier, value: ChatLive.Presence?)] = []

    public init() {}

    public var isEmpty: Bool { sessions.isEmpty && participants.isEmpty && presence.isEmpty }
}

extension ChatState {
    /// From here on ``takeLiveChanges()`` says who came and went.
    public mutating func recordLiveChanges() {
        devices.touched = []
        rooms.touched = []
        presence.touched = []
    }

    /// What has changed since the last call.
    public mutating func takeLiveChanges() -> ChatLiveChanges {
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

    /// Goes on where another server has ended, without news for anybody. Nobody may have signed in before.
    public mutating func restore(_ live: ChatLive, at now: Int64) {
        var sessions: [UInt64: ChatSession] = [:]
        for session in live.sessions.sorted(by: { ($0.signedIn, $0.session.id) < ($1.signedIn, $1.session.id) }) {
            sessions[session.session.id] = session.session
            devices.restore(session, limits: application.limits, at: now)
        }
        rooms.restore(live.participants, sessions, grace: application.limits.openGrace, at: now)
        presence.restore(live.presence, devices: devices, grace: application.limits.presenceGrace, at: now)
    }
}

// MARK: - The parts

extension ChatDevices {
    /// What names a session.
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
    /// What names a participant.
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
