import Identifiers
import ServerStorage

/// The time of an event: a monotonic instant for deadlines, and Unix time for readers.
package struct OccupancyTime: Hashable, Sendable {
    /// The time on the monotonic clock.
    package var instant: MonotonicInstant
    /// Seconds since 1970.
    package var unixSeconds: Int

    /// Makes a value with these properties.
    package init(instant: MonotonicInstant, unixSeconds: Int) {
        self.instant = instant
        self.unixSeconds = unixSeconds
    }
}

/// A user together with one of the user's connections.
package struct OccupancyUser: Hashable, Sendable {
    /// The user's id.
    package var id: Identifier
    /// Distinguishes the connections of a user; empty if clients do not send it (rule HB-33).
    package var connection: Identifier
    /// The owner whose share of the limits a stay counts against (rule HB-70): a user whom the application has named, or an address.
    /// Nil for no share.
    package var owner: Identifier?

    /// Makes a value with these properties.
    package init(id: Identifier, connection: Identifier = "") {
        self.id = id
        self.connection = connection
    }
}

/// The presence settings of an application.
package struct OccupancySettings: Hashable, Sendable {
    /// The occupancy up to which every join, leave and timeout is a separate event; above it there are interval events.
    package var announceMaximum: Int
    /// The time between interval events.
    package var interval: Duration
    /// Whether interval events contain the users who joined and left.
    package var sendsDeltas: Bool
    /// The largest size of the users in an interval event, in bytes. Beyond it, the event asks subscribers to request the occupancy.
    package var deltaBytes: Int
    /// The timeout in seconds for requests that contain none.
    package var defaultTimeout: Int
    /// The presence timeouts that requests may set, in seconds; other values are replaced by the nearest allowed one.
    package var timeouts: ClosedRange<Int>

    /// Makes a value with these properties.
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

    /// The presence settings of a keyset.
    package init(keyset: Keyset) {
        self.init(
            announceMaximum: keyset.announceMaximum, interval: keyset.presenceInterval, sendsDeltas: keyset.sendsPresenceDeltas)
    }
}

/// A presence event for subscribers of a channel's presence channel.
package struct OccupancyEvent: Hashable, Sendable {
    /// The kinds of events.
    package enum Action: Hashable, Sendable {
        /// A user joined, left, timed out or changed its state; `interval` is a summary of many changes.
        case join, leave, timeout, stateChange, interval
    }

    /// The channel of the users; the event is published on its presence channel.
    package var channel: Identifier
    /// The kind of event.
    package var action: Action
    /// The number of users on the channel after the event.
    package var occupancy: Int
    /// The time in seconds since 1970.
    package var timestamp: Int
    /// The user; nil for intervals.
    package var user: Identifier?
    /// The user's state as JSON text, for a join or a state change.
    package var state: [UInt8]?
    /// The users who joined since the last interval event and are still present.
    package var joined: [Identifier] = []
    /// The users who were present at the last interval event and left.
    package var left: [Identifier] = []
    /// The users who were present at the last interval event and timed out.
    package var timedOut: [Identifier] = []
    /// Whether more users joined and left than an event can contain.
    package var needsRefresh = false

    /// Makes a value with these properties.
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

/// A user on a channel.
package struct Occupant: Hashable, Sendable {
    /// The user's id.
    package var user: Identifier
    /// The user's state on the channel as JSON text; nil when the user has none.
    package var state: [UInt8]?

    /// Makes a value with these properties.
    package init(user: Identifier, state: [UInt8]? = nil) {
        self.user = user
        self.state = state
    }
}

/// The users on a channel.
package struct OccupancyPage: Hashable, Sendable {
    /// The number of all users on the channel, independent of the page.
    package var occupancy: Int
    /// The users of the page, in the order in which they joined.
    package var occupants: [Occupant]

    /// Makes a value with these properties.
    package init(occupancy: Int, occupants: [Occupant]) {
        self.occupancy = occupancy
        self.occupants = occupants
    }
}
