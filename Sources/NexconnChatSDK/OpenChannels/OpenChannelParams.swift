import Foundation

/// How to enter an open channel.
///
/// `@unchecked Sendable`: every property is `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCEnterOpenChannelParams) @objcMembers
#endif
public final class EnterOpenChannelParams: NSObject, @unchecked Sendable {
    /// How many of the latest messages are delivered on entering: 1 … 50; -1 for none, 0 for 20.
    @Guarded public var messageCount: Int
    /// A text of the application, at most 128 characters.
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
        default: throw NCError(.badArgument, reason: "An open channel begins with 1 to 50 messages, or -1 for none.")
        }
    }
}

/// Pairs of an open channel's metadata to set.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCSetOpenChannelMetadataParams) @objcMembers
#endif
public final class SetOpenChannelMetadataParams: NSObject, @unchecked Sendable {
    /// 1 … 10 pairs.
    public let metadata: [String: String]
    /// Whether the pairs are deleted when the user leaves the channel.
    @Guarded public var deleteWhenLeft = false
    /// Whether pairs that other users set are replaced.
    @Guarded public var overwrite = false

    /// Pairs to set, without replacing other users' pairs.
    public init(metadata: [String: String]) {
        self.metadata = metadata
        super.init()
    }
}

/// Pairs of an open channel's metadata to delete.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCDeleteOpenChannelMetadataParams) @objcMembers
#endif
public final class DeleteOpenChannelMetadataParams: NSObject, @unchecked Sendable {
    /// The keys of 1 … 10 pairs.
    public let keys: [String]
    /// Whether pairs that other users set are deleted too.
    @Guarded public var isForce = false

    /// Keys of pairs to delete, without other users' pairs.
    public init(keys: [String]) {
        self.keys = keys
        super.init()
    }
}

/// Selects messages of an open channel from the service's history.
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
    /// Where the list starts, milliseconds since 1970, exclusive; 0 for the newest message, or the oldest one in ascending order.
    @Guarded public var startTime: Int64 = 0
    /// Whether the list goes from older to newer messages.
    @Guarded public var isAscending = false

    /// The newest messages of a channel.
    public init(channelId: String) {
        self.channelId = channelId
        super.init()
    }
}
