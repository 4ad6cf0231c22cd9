import Identifiers

/// One published message with its timetoken, which is its position in the stream of its application.
public struct StoredMessage: Hashable, Sendable {
    /// The timetoken in units of 100 ns since 1970. Timetokens increase strictly over all messages of a server, also across restarts.
    public var timetoken: UInt64
    /// The channel to which the message was published.
    public var channel: Identifier
    /// The user id of the publisher; nil when the publish request named no user.
    public var publisher: String?
    /// The payload, as JSON text in UTF-8.
    public var payload: [UInt8]
    /// The publisher's metadata, as JSON text in UTF-8; nil for none.
    public var metadata: [UInt8]?
    /// The kind of message, such as a file or an action; the PubNub server defines the numbers.
    public var kind: Int
    /// The message type that the publisher has chosen; nil when it has chosen none.
    public var customType: String?
    /// The sequence number that the publisher has given the message; nil when it gave none.
    public var sequence: Int?
    /// The origination timetoken that the publisher has sent in the parameter `ortt`; nil when it has sent none.
    public var origination: UInt64?
    /// Whether the channel's history contains the message. A message that is not in the history is stored only for as long as subscribers
    /// may still have to receive it.
    public var isStored: Bool
    /// When the message expires, as a timetoken; nil if it never expires.
    public var expires: UInt64?

    /// Makes a message; by default without optional values.
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
    /// The size of the message's texts in bytes, including the channel's name.
    public var bytes: Int {
        payload.count + (metadata?.count ?? 0) + channel.utf8.count + (publisher?.utf8.count ?? 0) + (customType?.utf8.count ?? 0)
    }
}

/// A request for a page of a channel's history.
public struct HistoryQuery: Hashable, Sendable {
    /// The channel.
    public var channel: Identifier
    /// The start of the range as a timetoken, exclusive; nil for no start.
    public var start: UInt64?
    /// The end of the range as a timetoken, inclusive; nil for no end.
    public var end: UInt64?
    /// The maximum number of messages in the page.
    public var limit: Int
    /// Whether the page begins at the oldest message of the range instead of the newest. The page is always sorted with the oldest first.
    public var isOldestFirst: Bool
    /// The approximate size limit of the page, in bytes (``StoredMessage/size``). Reading stops after the message that exceeds this limit.
    public var maximumBytes: Int

    /// Makes a request for a page of a channel's history; by default of the newest messages.
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
