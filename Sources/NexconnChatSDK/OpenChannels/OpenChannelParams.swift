import Foundation

/// The parameters for entering an open channel.
///
/// `@unchecked Sendable`: every property is `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCEnterOpenChannelParams) @objcMembers
#endif
public final class EnterOpenChannelParams: NSObject, @unchecked Sendable {
    /// How many of the latest messages are delivered when the user enters: 1 … 50; -1 for none; 0 means 20.
    @Guarded public var messageCount: Int
    /// An additional text that the application defines, at most 128 characters.
    @Guarded public var extra: String?

    /// Parameters for entering.
    public init(messageCount: Int = 20, extra: String? = nil) {
        self.messageCount = messageCount
        self.extra = extra
        super.init()
    }

    func count() throws(NCError) -> Int {
        switch messageCount {
        case -1: 0
        case 0: 20
        case 1...50: messageCount
        default: throw NCError(.badArgument, reason: "The messageCount must be 1 to 50, 0 for 20, or -1 for none.")
        }
    }
}

/// The parameters for setting entries of an open channel's metadata.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCSetOpenChannelMetadataParams) @objcMembers
#endif
public final class SetOpenChannelMetadataParams: NSObject, @unchecked Sendable {
    /// The entries to set, 1 … 10, by key.
    public let metadata: [String: String]
    /// Whether the entries in `metadata` are deleted when the signed-in user leaves the channel.
    @Guarded public var deleteWhenLeft = false
    /// Whether the call also replaces entries that other users have set under the same keys.
    @Guarded public var overwrite = false

    /// Creates the parameters for setting entries, without replacing entries of other users.
    public init(metadata: [String: String]) {
        self.metadata = metadata
        super.init()
    }
}

/// The parameters for deleting entries of an open channel's metadata.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCDeleteOpenChannelMetadataParams) @objcMembers
#endif
public final class DeleteOpenChannelMetadataParams: NSObject, @unchecked Sendable {
    /// The keys of the entries to delete, 1 … 10.
    public let keys: [String]
    /// Whether the call also deletes entries that other users have set.
    @Guarded public var isForce = false

    /// Creates the parameters for deleting entries, without deleting entries of other users.
    public init(keys: [String]) {
        self.keys = keys
        super.init()
    }
}

/// The parameters that select messages of an open channel from the service's history.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelMessagesQueryParams) @objcMembers
#endif
public final class OpenChannelMessagesQueryParams: NSObject, @unchecked Sendable {
    /// The open channel's id.
    public let channelId: String
    /// How many messages a page has, 1 … 100.
    @Guarded public var pageSize: Int32 = 20
    /// The time at which the list starts, in milliseconds since 1970, exclusive. 0 starts with the newest message, or with the oldest in
    /// ascending order.
    @Guarded public var startTime: Int64 = 0
    /// Whether the list goes from older to newer messages.
    @Guarded public var isAscending = false

    /// Creates parameters that select the newest messages of a channel.
    public init(channelId: String) {
        self.channelId = channelId
        super.init()
    }
}
