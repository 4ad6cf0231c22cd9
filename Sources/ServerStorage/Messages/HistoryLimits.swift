/// The limits of an application's stored messages. When a limit is exceeded, the oldest messages are deleted.
public struct HistoryLimits: Hashable, Sendable {
    /// The largest number of messages of all channels together; nil for no limit.
    public var messages: Int?
    /// The largest size of all messages in bytes, as ``HistoryUsage/bytes`` counts it; nil for no limit.
    public var bytes: Int?
    /// Messages with a lower timetoken or id than this are deleted; 0 deletes none.
    public var lowest: UInt64

    /// Makes limits; by default nothing is limited.
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

/// The number and the size of an application's stored messages.
public struct HistoryUsage: Hashable, Sendable {
    /// The number of stored messages. Expired ones count until they are deleted.
    public var messages: Int
    /// The size of the stored messages in bytes: the payloads and metadata of PubNub messages, or the bodies of chat messages.
    public var bytes: Int
    /// The number of messages that were deleted by the call that returns this value.
    public var removed: Int

    /// Makes a usage; by default that of an empty history.
    public init(messages: Int = 0, bytes: Int = 0, removed: Int = 0) {
        self.messages = messages
        self.bytes = bytes
        self.removed = removed
    }
}

extension StoredMessage {
    /// The number of the message's bytes that count towards ``HistoryLimits/bytes``.
    public var contentBytes: Int { payload.count + (metadata?.count ?? 0) }
}
