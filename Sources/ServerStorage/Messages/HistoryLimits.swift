/// How much of an application's history a store keeps. The oldest messages are deleted first.
public struct HistoryLimits: Hashable, Sendable {
    /// The largest number of messages of all channels together; nil for no limit.
    public var messages: Int?
    /// The largest size of all messages in bytes, as ``HistoryUsage/bytes`` counts it; nil for no limit.
    public var bytes: Int?
    /// Messages with a lower timetoken or id are deleted; 0 for none.
    public var lowest: UInt64

    /// Limits; by default none.
    public init(messages: Int? = nil, bytes: Int? = nil, lowest: UInt64 = 0) {
        self.messages = messages
        self.bytes = bytes
        self.lowest = lowest
    }

    /// Whether a history with this usage has more messages or bytes than the limits allow.
    public func isExceeded(by usage: HistoryUsage) -> Bool {
        usage.messages > messages ?? .max || usage.bytes > bytes ?? .max
    }
}

/// How much the history of an application has.
public struct HistoryUsage: Hashable, Sendable {
    /// The number of messages. Expired ones count until they are deleted.
    public var messages: Int
    /// The size in bytes: payloads and metadata of PubNub's messages, or the bodies of chat's.
    public var bytes: Int
    /// The number of messages that the call deleted whose answer this is.
    public var removed: Int

    /// A usage; by default that of an empty history.
    public init(messages: Int = 0, bytes: Int = 0, removed: Int = 0) {
        self.messages = messages
        self.bytes = bytes
        self.removed = removed
    }
}

extension StoredMessage {
    /// The bytes that count towards ``HistoryLimits/bytes``.
    public var contentBytes: Int { payload.count + (metadata?.count ?? 0) }
}
