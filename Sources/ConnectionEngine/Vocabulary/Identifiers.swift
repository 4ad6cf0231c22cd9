/// The number of an attempt to connect. Every attempt gets a new number; reports of earlier attempts are dropped.
public struct AttemptID: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let value: UInt64

    public init(_ value: UInt64) {
        self.value = value
    }

    public static func < (left: AttemptID, right: AttemptID) -> Bool {
        left.value < right.value
    }

    public var description: String { "attempt-\(value)" }
}

/// The number of a user's request that waits for exactly one answer.
public struct RequestID: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let value: UInt64

    public init(_ value: UInt64) {
        self.value = value
    }

    public static func < (left: RequestID, right: RequestID) -> Bool {
        left.value < right.value
    }

    public var description: String { "request-\(value)" }
}

/// The number of a session's job, such as asking an endpoint to authorise a channel. A job belongs to one attempt to connect.
public struct JobID: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let value: UInt64

    public init(_ value: UInt64) {
        self.value = value
    }

    public static func < (left: JobID, right: JobID) -> Bool {
        left.value < right.value
    }

    public var description: String { "job-\(value)" }
}

/// A timer of a session, with a number that the session chose. Starting a timer again restarts its time.
public struct SessionTimer: Hashable, Sendable {
    public let number: UInt32

    public init(_ number: UInt32) {
        self.number = number
    }
}

/// A started timer. Its generation distinguishes it from earlier timers of the same kind, so that a late firing of an earlier timer is
/// ignored.
public struct TimerID: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// Limits the time from the start of an attempt to connect to the service's confirmation of the connection.
        case open
        /// Runs during the pause before the next attempt to connect.
        case retry
        /// Fires when no data was received for so long that the connection has to be probed, and after that when the probe was not answered
        /// in time.
        case silence
        /// Runs until a new connection counts as stable, which resets the retry pauses.
        case stable
        /// Limits the time until the peer answers the close handshake.
        case close
        /// Limits the time of all attempts to connect together, as the caller of `connect` has chosen.
        case deadline
        /// Runs during the grace period of an application in the background.
        case grace
        /// A timer that the session started.
        case session(SessionTimer)
    }

    public let kind: Kind
    public let generation: UInt64

    public init(kind: Kind, generation: UInt64) {
        self.kind = kind
        self.generation = generation
    }
}
