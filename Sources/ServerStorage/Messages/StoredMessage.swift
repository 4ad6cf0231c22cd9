import Identifiers

/// One published message with its position in the stream of its application.
public struct StoredMessage: Hashable, Sendable {
    /// The timetoken, strictly increasing over all messages of a server, also across restarts: units of 100 ns since 1970.
    public var timetoken: UInt64
    /// The channel of the message.
    public var channel: Identifier
    /// The publisher's user id.
    public var publisher: String?
    /// The payload, as JSON text in UTF-8.
    public var payload: [UInt8]
    /// The publisher's metadata, as JSON text in UTF-8.
    public var metadata: [UInt8]?
    /// The kind of message; its numbers are defined by the fronts.
    public var kind: Int
    /// The publisher's custom type; nil for none.
    public var customType: String?
    /// The publisher's sequence number.
    public var sequence: Int?
    /// The publisher's origination token.
    public var origination: UInt64?
    /// Whether the channel's history contains the message. Other messages are kept only as long as subscribers may catch up.
    public var isStored: Bool
    /// When it expires, as a timetoken; nil for never.
    public var expires: UInt64?

    /// Makes a message with the values that a store keeps.
    public init(
        timetoken: UInt64, channel: Identifier, publisher: String? = nil, payload: [UInt8], metadata: [UInt8]? = nil,
        kind: Int = 0, customType: String? = nil, sequence: Int? = nil, origination: UInt64? = nil, isStored: Bool = true,
        expires: UInt64? = nil
    ) {
        self.timetoken = timetoken
        self.channel = channel
        self.publisher = publisher
        self.payload = payload
        self.metadata = metadata
        self.kind = kind
        self.customType = customType
        self.sequence = sequence
        self.origination = origination
        self.isStored = isStored
        self.expires = expires
    }

    /// The approximate size of the message in an answer, in bytes: its texts and their surrounding syntax.
    public var size: Int {
        payload.count + (metadata?.count ?? 0) + (publisher?.utf8.count ?? 0) + (customType?.utf8.count ?? 0) + 160
    }
}

extension StoredMessage {
    /// The size of the message in bytes.
    public var bytes: Int {
        payload.count + (metadata?.count ?? 0) + channel.utf8.count + (publisher?.utf8.count ?? 0) + (customType?.utf8.count ?? 0)
    }
}

/// A request for a page of a channel's history.
public struct HistoryQuery: Hashable, Sendable {
    /// The channel.
    public var channel: Identifier
    /// The start of the range, exclusive; nil for no start.
    public var start: UInt64?
    /// The end of the range, inclusive; nil for no end.
    public var end: UInt64?
    /// The maximum number of messages.
    public var limit: Int
    /// Whether to begin at the oldest message. The answer is always oldest first.
    public var isOldestFirst: Bool
    /// The approximate size limit of the page, in bytes (``StoredMessage/size``): reading stops after the message that exceeds it.
    public var maximumBytes: Int

    /// A request for a channel's history.
    public init(
        channel: Identifier, start: UInt64? = nil, end: UInt64? = nil, limit: Int, isOldestFirst: Bool = false,
        maximumBytes: Int = .max
    ) {
        self.channel = channel
        self.start = start
        self.end = end
        self.limit = limit
        self.isOldestFirst = isOldestFirst
        self.maximumBytes = maximumBytes
    }
}
