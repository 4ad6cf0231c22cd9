import ConnectionEngine

/// A place in a channel's messages where messages may be missing. The client declares a gap whenever it cannot prove that it
/// received everything.
public struct Gap: Hashable, Sendable {
    /// Why messages may be missing. An open set: switch over it with a `default`.
    public struct Reason: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The reason as a word, as in logs.
        public let rawValue: String

        /// A reason by its word, also one that this version does not know.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The same as ``rawValue``.
        public var description: String { rawValue }

        /// The connection was lost, and the service cannot return what was published meanwhile.
        public static let connectionLost = Reason(rawValue: "connectionLost")
        /// The service has more missed messages than it hands out.
        public static let tooMany = Reason(rawValue: "tooMany")
        /// The consumer of the sequence was too slow; ``Gap/dropped`` messages were dropped for it.
        public static let slowConsumer = Reason(rawValue: "slowConsumer")
        /// ``Gap/dropped`` messages arrived and could not be decrypted. Only ``Messages`` has these gaps; ``Deliveries`` has a
        /// ``Delivery/failed(_:willRetry:)`` for each such message.
        public static let undecryptable = Reason(rawValue: "undecryptable")
    }

    /// The channel in which messages may be missing.
    public var channel: String
    /// The start of the gap: messages published since then may be missing, up to the gap's place in the sequence.
    public var since: Moment
    /// Why messages may be missing.
    public var reason: Reason
    /// How many messages are known to be missing; 0 when nobody knows.
    public var dropped: Int
    /// When the gap was declared.
    public var at: Moment

    /// A gap, such as for tests of your own code.
    public init(channel: String, since: Moment, reason: Reason, dropped: Int = 0, at: Moment) {
        self.channel = channel
        self.since = since
        self.reason = reason
        self.dropped = dropped
        self.at = at
    }

    /// Merges two gaps: the result begins with the earlier one, and its count is the sum of the messages that are known to be missing.
    func joined(with later: Gap) -> Gap {
        Gap(
            channel: channel, since: min(since, later.since), reason: reason, dropped: dropped + later.dropped,
            at: max(at, later.at))
    }
}
