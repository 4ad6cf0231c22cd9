/// One dial. Every dial gets a new id, and whatever still arrives for an older one is dropped at the door.
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

/// A timer that a session chose a number for. Starting a number again supersedes the older timer.
public struct SessionTimer: Hashable, Sendable {
    public let number: UInt32

    public init(_ number: UInt32) {
        self.number = number
    }
}

/// A started timer. The generation tells a timer from the one that it superseded, so a late firing is never mistaken.
public struct TimerID: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// The attempt has to be confirmed by then.
        case open
        /// The pause before the next attempt is over.
        case retry
        /// Nothing was received for the activity timeout, or the answer to a probe is overdue.
        case silence
        /// The link has been up long enough for the delays to start over.
        case stable
        /// The peer did not answer the close handshake in time.
        case close
        /// The caller's own limit for the whole `connect` ran out.
        case deadline
        /// The application has been in the background for as long as the connection is kept there.
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
