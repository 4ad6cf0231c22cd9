import Identifiers

/// The kind of a message: the `e` of an element of a subscribe answer. Other values than the listed ones are possible.
public struct PubNubMessageKind: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    public static let message = PubNubMessageKind(rawValue: 0)
    public static let signal = PubNubMessageKind(rawValue: 1)
    public static let object = PubNubMessageKind(rawValue: 2)
    public static let action = PubNubMessageKind(rawValue: 3)
    public static let file = PubNubMessageKind(rawValue: 4)
}

/// One element of a subscribe answer, with its JSON parts unchanged.
public struct PubNubMessage: Hashable, Sendable {
    /// The channel published to, with `-pnpres` for presence events.
    public var channel: String
    /// The subscription that matched (`b`): a group or a wildcard pattern; nil for the channel itself.
    public var subscription: String?
    public var kind: PubNubMessageKind
    /// The publisher's user id; nil for presence.
    public var publisher: String?
    /// When the message was published; `o` of the publisher has precedence over `p`.
    public var timetoken: Timetoken
    public var region: Int?
    /// The publisher's sequence number.
    public var sequence: Int?
    /// The payload, as JSON text.
    public var payload: String
    /// The publisher's metadata, as JSON text.
    public var metadata: String?
    public var customType: String?

    public init(
        channel: String, subscription: String? = nil, kind: PubNubMessageKind = .message, publisher: String? = nil,
        timetoken: Timetoken, region: Int? = nil, sequence: Int? = nil, payload: String, metadata: String? = nil,
        customType: String? = nil
    ) {
        self.channel = channel
        self.subscription = subscription
        self.kind = kind
        self.publisher = publisher
        self.timetoken = timetoken
        self.region = region
        self.sequence = sequence
        self.payload = payload
        self.metadata = metadata
        self.customType = customType
    }

    /// The suffix of presence channels' names.
    public static let presenceSuffix = "-pnpres"

    /// Whether this is a presence event.
    public var isPresence: Bool { channel.hasByteSuffix(Self.presenceSuffix) }
}

extension PubNubMessage: CustomStringConvertible {
    /// The channel and the timetoken, never the contents.
    public var description: String { "\(channel)@\(timetoken)" }
}
