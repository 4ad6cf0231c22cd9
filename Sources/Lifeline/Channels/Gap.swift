import ConnectionEngine

/// A stretch of time in which messages may be missing. Declared whenever the client cannot prove that it saw everything.
public struct Gap: Hashable, Sendable {
    /// Why messages may be missing. An open set: switch over it with a `default`.
    public struct Reason: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The word for it, as in logs.
        public let rawValue: String

        /// One that this version may not know.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The same as ``rawValue``.
        public var description: String { rawValue }

        /// The connection was lost, and the service could not tell what was published meanwhile.
        public static let connectionLost = Reason(rawValue: "connectionLost")
        /// The service has more missed messages than it hands out.
        public static let tooMany = Reason(rawValue: "tooMany")
        /// The consumer of the sequence was too slow; ``Gap/dropped`` messages were dropped for it.
        public static let slowConsumer = Reason(rawValue: "slowConsumer")
        /// ``Gap/dropped`` messages came and could not be decrypted. In ``Messages`` only: ``Deliveries`` tell each of them as a
        /// ``Delivery/failed(_:willRetry:)``.
        public static let undecryptable = Reason(rawValue: "undecryptable")
    }

    /// Where messages may be missing.
    public var channel: String
    /// Messages published since then may be missing, up to the place in the sequence where the gap stands.
    public var since: Moment
    /// Why they may.
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

    /// One gap for both: since the earlier one, the sum of what is known to be missing.
    func joined(with later: Gap) -> Gap {
        Gap(
            channel: channel, since: min(since, later.since), reason: reason, dropped: dropped + later.dropped,
            at: max(at, later.at))
    }
}
