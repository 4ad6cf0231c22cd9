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

/// A started timer. The generation distinguishes it from earlier timers of the same kind, so that a late firing of those is ignored.
public struct TimerID: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// Runs until the service has to have confirmed the connection.
        case open
        /// Runs during the pause before the next attempt to connect.
        case retry
        /// Runs until a connection without received data is probed, and then until the probe has to be answered.
        case silence
        /// Runs until a new connection counts as stable, which resets the retry pauses.
        case stable
        /// Runs until the peer has to have answered the close handshake.
        case close
        /// Runs during the time limit that the caller passed to `connect`.
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
