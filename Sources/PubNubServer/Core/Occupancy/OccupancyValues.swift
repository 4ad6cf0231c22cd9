import Identifiers
import ServerStorage

/// The time of a change, as a monotonic instant for deadlines and as Unix time for events.
package struct OccupancyTime: Hashable, Sendable {
    /// The time on the monotonic clock, for deadlines.
    package var instant: MonotonicInstant
    /// Seconds since 1970.
    package var unixSeconds: Int

    package init(instant: MonotonicInstant, unixSeconds: Int) {
        self.instant = instant
        self.unixSeconds = unixSeconds
    }
}

/// A user and one of the user's connections.
package struct OccupancyUser: Hashable, Sendable {
    /// The user's id.
    package var id: Identifier
    /// Distinguishes the connections of a user; empty if the client sends no connection id (rule HB-33).
    package var connection: Identifier
    /// The owner whose share of the limits the user's presence uses (rule HB-70): a user whom the application has named in a token, or a
    /// client address. Nil when no share applies.
    package var owner: Identifier?

    package init(id: Identifier, connection: Identifier = "") {
        self.id = id
        self.connection = connection
    }
}

/// The presence settings of an application.
package struct OccupancySettings: Hashable, Sendable {
    /// The number of users up to which every join, leave and timeout is a separate event. Above this number, changes are combined in
    /// interval events.
    package var announceMaximum: Int
    /// The time between interval events.
    package var interval: Duration
    /// Whether interval events list the users who have joined and left.
    package var sendsDeltas: Bool
    /// The largest size in bytes of the lists of users in an interval event. If they are larger, the event has no lists, and subscribers
    /// have to request the users.
    package var deltaBytes: Int
    /// The presence timeout in seconds when a request sets none.
    package var defaultTimeout: Int
    /// The presence timeouts in seconds that requests may set; any other value is replaced by the nearest allowed one.
    package var timeouts: ClosedRange<Int>

    package init(
        announceMaximum: Int = 20, interval: Duration = .seconds(10), sendsDeltas: Bool = true, deltaBytes: Int = 30_000,
        defaultTimeout: Int = 300, timeouts: ClosedRange<Int> = 3...86_400
    ) {
        self.announceMaximum = announceMaximum
        self.interval = max(interval, .milliseconds(100))
        self.sendsDeltas = sendsDeltas
        self.deltaBytes = deltaBytes
        self.defaultTimeout = defaultTimeout
        self.timeouts = timeouts
    }

    /// The presence settings that the configuration of a keyset sets.
    package init(keyset: Keyset) {
        self.init(
            announceMaximum: keyset.announceMaximum, interval: keyset.presenceInterval, sendsDeltas: keyset.sendsPresenceDeltas)
    }
}

/// A presence event for subscribers of a channel's presence channel.
package struct OccupancyEvent: Hashable, Sendable {
    /// The kinds of presence events.
    package enum Action: Hashable, Sendable {
        /// A user has joined, left, timed out, or changed the user's state; `interval` combines many changes.
        case join, leave, timeout, stateChange, interval
    }

    /// The channel on which the change happened. The event is published on this channel's presence channel.
    package var channel: Identifier
    /// What has happened: for example, a user has joined.
    package var action: Action
    /// The number of users on the channel after the event.
    package var occupancy: Int
    /// The time of the event in seconds since 1970.
    package var timestamp: Int
    /// The user who has joined, left, timed out, or changed the presence state; nil for interval events.
    package var user: Identifier?
    /// The user's state as JSON text, for a join or a state change; otherwise nil.
    package var state: [UInt8]?
    /// In an interval event: the users who have joined since the last interval event and are still present.
    package var joined: [Identifier] = []
    /// In an interval event: the users who were present at the last interval event and have left.
    package var left: [Identifier] = []
    /// In an interval event: the users who were present at the last interval event and have timed out.
    package var timedOut: [Identifier] = []
    /// Whether the lists of users are left out, because they exceed the size limit. Subscribers then have to request the users.
    package var needsRefresh = false

    package init(
        channel: Identifier, action: Action, occupancy: Int, timestamp: Int, user: Identifier? = nil, state: [UInt8]? = nil
    ) {
        self.channel = channel
        self.action = action
        self.occupancy = occupancy
        self.timestamp = timestamp
        self.user = user
        self.state = state
    }
}

/// A user who is present on a channel.
package struct Occupant: Hashable, Sendable {
    /// The user's id.
    package var user: Identifier
    /// The user's state on the channel as JSON text; nil when the user has none.
    package var state: [UInt8]?

    package init(user: Identifier, state: [UInt8]? = nil) {
        self.user = user
        self.state = state
    }
}

/// One page of the users on a channel.
package struct OccupancyPage: Hashable, Sendable {
    /// The number of all users on the channel, not only of those on the page.
    package var occupancy: Int
    /// The users of the page, in the order in which they joined.
    package var occupants: [Occupant]

    package init(occupancy: Int, occupants: [Occupant]) {
        self.occupancy = occupancy
        self.occupants = occupants
    }
}
