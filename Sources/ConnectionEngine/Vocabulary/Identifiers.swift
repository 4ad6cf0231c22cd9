/// One attempt to connect. Every attempt gets a new id, and reports for an older one are dropped.
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

/// One call of the user that waits for exactly one answer.
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

/// One piece of side work of a session, such as asking an endpoint to authorise a channel. Belongs to one attempt.
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

/// A timer of a session, with a number that the session has chosen. Starting a number again supersedes the older timer.
public struct SessionTimer: Hashable, Sendable {
    public let number: UInt32

    public init(_ number: UInt32) {
        self.number = number
    }
}

/// A started timer. The generation distinguishes a timer from the one that it superseded, so a late firing is recognised.
public struct TimerID: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// The time limit for the confirmation of the attempt.
        case open
        /// The end of the pause before the next attempt.
        case retry
        /// The activity timeout without received data, or the time limit of a probe.
        case silence
        /// The time after which a link counts as stable, and the pauses are reset.
        case stable
        /// The time limit for the peer's answer to the close handshake.
        case close
        /// The caller's time limit for the whole `connect`.
        case deadline
        /// The end of the grace period of an application in the background.
        case grace
        /// A timer of the session.
        case session(SessionTimer)
    }

    public let kind: Kind
    public let generation: UInt64

    public init(kind: Kind, generation: UInt64) {
        self.kind = kind
        self.generation = generation
    }
}
