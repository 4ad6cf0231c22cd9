import ConnectionEngine

/// A position in a channel's messages at which messages may be missing. The client declares a gap whenever it cannot prove that it received
/// all messages.
public struct Gap: Hashable, Sendable {
    /// Why messages may be missing. New reasons may be added: switch over the value with a `default`.
    public struct Reason: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The reason's identifier, such as `connectionLost`; it also appears in logs.
        public let rawValue: String

        /// Makes a reason from its identifier. An identifier that this version does not define is accepted.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The reason as text: its ``rawValue``.
        public var description: String { rawValue }

        /// The connection was lost, and the service cannot replay the messages that were published in the meantime.
        public static let connectionLost = Reason(rawValue: "connectionLost")
        /// The client missed more messages than the service returns.
        public static let tooMany = Reason(rawValue: "tooMany")
        /// The consumer of the sequence was too slow; ``Gap/dropped`` messages were dropped for it.
        public static let slowConsumer = Reason(rawValue: "slowConsumer")
        /// ``Gap/dropped`` messages arrived and could not be decrypted. Only ``Messages`` has these gaps; ``Deliveries`` has a
        /// ``Delivery/failed(_:willRetry:)`` for each such message.
        public static let undecryptable = Reason(rawValue: "undecryptable")
    }

    /// The channel in which messages may be missing.
    public var channel: String
    /// The start of the gap. Messages may be missing that were published between this moment and the message after the gap.
    public var since: Moment
    /// The reason why messages may be missing.
    public var reason: Reason
    /// How many messages are known to be missing; 0 when the number is unknown.
    public var dropped: Int
    /// When the client declared the gap.
    public var at: Moment

    /// Makes a gap, such as for tests of your own code.
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
