/// A position in a service's stream of messages, in units of 100 ns since 1970. Present timetokens have 17 digits.
///
/// 0 means "from now on". Compare timetokens only with each other; they are no clock for other decisions.
public struct Timetoken: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    public let rawValue: UInt64

    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Parses up to 20 decimal digits; nil for anything else.
    public init?(_ text: some StringProtocol) {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = UInt64(text) else { return nil }
        rawValue = value
    }

    public static let zero = Timetoken(rawValue: 0)

    public static func < (left: Timetoken, right: Timetoken) -> Bool { left.rawValue < right.rawValue }

    public var description: String { String(rawValue) }
}

/// The position of a subscriber in the service's stream, from which the next poll continues.
public struct PubNubCursor: Hashable, Sendable {
    public var timetoken: Timetoken
    /// The region of the timetoken, which the next poll sends as `tr`; nil before the first answer.
    public var region: Int?
    /// Whether this answer reports a gap: messages may be missing between the requested position and the position of the answer. The gap is
    /// reported by `"d":true` beside the timetoken, which only this project's server sends (rule PV-112).
    public var followsGap: Bool
    /// Whether the answer to a handshake reports that no message is missing after the position that the handshake named. This is reported
    /// by `"d":false` beside the timetoken, which only this project's server sends (rule PV-181).
    public var isComplete: Bool

    public init(timetoken: Timetoken = .zero, region: Int? = nil, followsGap: Bool = false, isComplete: Bool = false) {
        self.timetoken = timetoken
        self.region = region
        self.followsGap = followsGap
        self.isComplete = isComplete
    }

    public static let start = PubNubCursor()
}
