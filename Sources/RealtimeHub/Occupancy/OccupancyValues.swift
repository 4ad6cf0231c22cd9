import Identifiers

/// When something happened: an instant for deadlines, and the time of day for those who read about it.
public struct OccupancyTime: Hashable, Sendable {
    /// The time on the monotonic clock.
    public var instant: MonotonicInstant
    /// Seconds since 1970.
    public var unixSeconds: Int

    /// Makes a value with these properties.
    public init(instant: MonotonicInstant, unixSeconds: Int) {
        self.instant = instant
        self.unixSeconds = unixSeconds
    }
}

/// A user, through one of its connections.
public struct OccupancyUser: Hashable, Sendable {
    /// The user's id.
    public var id: Identifier
    /// Tells the connections of a user apart; empty where clients do not say (rule HB-33).
    public var connection: Identifier
    /// The owner whose share of the limits a stay counts against (rule HB-70): a user whom the application has named, or an address.
    /// Nil for no share.
    package var owner: Identifier?

    /// Makes a value with these properties.
    public init(id: Identifier, connection: Identifier = "") {
        self.id = id
        self.connection = connection
    }
}

/// How presence behaves for an application.
public struct OccupancySettings: Hashable, Sendable {
    /// Up to this occupancy every join, leave and timeout is an event of its own; above it come interval events.
    public var announceMaximum: Int
    /// Time between interval events.
    public var interval: Duration
    /// Whether interval events contain the users who joined and left.
    public var sendsDeltas: Bool
    /// Bytes of users in an interval event. Beyond that, readers are told to request the occupancy instead.
    public var deltaBytes: Int
    /// Seconds after which a silent user is gone, when a request does not say.
    public var defaultTimeout: Int
    /// The presence timeouts that requests may set, in seconds; other values become the nearest of these.
    public var timeouts: ClosedRange<Int>

    /// Makes a value with these properties.
    public init(
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

    /// The limits of a keyset.
    public init(keyset: Keyset) {
        self.init(
            announceMaximum: keyset.announceMaximum, interval: keyset.presenceInterval, sendsDeltas: keyset.sendsPresenceDeltas)
    }
}

/// The presence event for those who watch a channel.
public struct OccupancyEvent: Hashable, Sendable {
    /// The kinds of events.
    public enum Action: Hashable, Sendable {
        /// A user came, left, was silent for too long or changed the state; or a summary of many changes.
        case join, leave, timeout, stateChange, interval
    }

    /// The channel that the users are on; the event belongs on its presence channel.
    public var channel: Identifier
    /// The kind of event.
    public var action: Action
    /// Users on the channel once this has happened.
    public var occupancy: Int
    /// Seconds since 1970.
    public var timestamp: Int
    /// The user; nil for intervals.
    public var user: Identifier?
    /// The user's state as JSON text, of a join or a change.
    public var state: [UInt8]?
    /// The users who joined since the last interval event and are still present.
    public var joined: [Identifier] = []
    /// The users who were present at the last interval event and left.
    public var left: [Identifier] = []
    /// The users who were present at the last interval event and timed out.
    public var timedOut: [Identifier] = []
    /// Whether more users joined and left than an event can contain.
    public var needsRefresh = false

    /// Makes a value with these properties.
    public init(
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
public struct Occupant: Hashable, Sendable {
    /// The user's id.
    public var user: Identifier
    /// JSON text.
    public var state: [UInt8]?

    /// Makes a value with these properties.
    public init(user: Identifier, state: [UInt8]? = nil) {
        self.user = user
        self.state = state
    }
}

/// The users on a channel.
public struct OccupancyPage: Hashable, Sendable {
    /// All users, whatever the page shows.
    public var occupancy: Int
    /// In the order of joining.
    public var occupants: [Occupant]

    /// Makes a value with these properties.
    public init(occupancy: Int, occupants: [Occupant]) {
        self.occupancy = occupancy
        self.occupants = occupants
    }
}
