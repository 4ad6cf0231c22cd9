import Identifiers

/// The kind of a message: the member `e` of an element in a subscribe answer. Values besides the listed ones are possible.
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

/// One element of a subscribe answer. Its JSON parts are unchanged.
public struct PubNubMessage: Hashable, Sendable {
    /// The channel of the message. For presence events it has the suffix `-pnpres`.
    public var channel: String
    /// The group or wildcard pattern that delivered the message (`b`); nil when the channel itself is subscribed.
    public var subscription: String?
    public var kind: PubNubMessageKind
    /// The publisher's user id; nil for presence events.
    public var publisher: String?
    /// When the message was published: the publisher's timetoken `o` if the element contains it, otherwise the service's timetoken `p`.
    public var timetoken: Timetoken
    public var region: Int?
    /// The sequence number that the publisher gave the message; nil for none.
    public var sequence: Int?
    /// The payload, as JSON text.
    public var payload: String
    /// The publisher's metadata as JSON text; nil for none.
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

    /// The suffix of the names of presence channels.
    public static let presenceSuffix = "-pnpres"

    /// Whether this is a presence event: its channel's name ends in `-pnpres`.
    public var isPresence: Bool { channel.hasByteSuffix(Self.presenceSuffix) }
}

extension PubNubMessage: CustomStringConvertible {
    /// The channel and the timetoken. The text never contains the message.
    public var description: String { "\(channel)@\(timetoken)" }
}
