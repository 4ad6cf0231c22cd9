import Foundation

/// How to enter an open channel.
///
/// `@unchecked Sendable`: every property is `Guarded`, a `NIOLockedValueBox`.
#if canImport(ObjectiveC)
    @objc(NCEnterOpenChannelParams) @objcMembers
#endif
public final class EnterOpenChannelParams: NSObject, @unchecked Sendable {
    /// How many of the latest messages to begin with: 1 … 50; -1 for none, 0 for 20.
    @Guarded public var messageCount: Int
    /// Whatever the application likes: at most 128 characters.
    @Guarded public var extra: String?

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

/// Metadata of an open channel to set.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, a `NIOLockedValueBox`.
#if canImport(ObjectiveC)
    @objc(NCSetOpenChannelMetadataParams) @objcMembers
#endif
public final class SetOpenChannelMetadataParams: NSObject, @unchecked Sendable {
    /// 1 … 10 pairs.
    public let metadata: [String: String]
    /// Whether the pairs go when the user leaves the channel.
    @Guarded public var deleteWhenLeft = false
    /// Whether pairs of others are replaced.
    @Guarded public var overwrite = false

    public init(metadata: [String: String]) {
        self.metadata = metadata
        super.init()
    }
}

/// Metadata of an open channel to delete.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, a `NIOLockedValueBox`.
#if canImport(ObjectiveC)
    @objc(NCDeleteOpenChannelMetadataParams) @objcMembers
#endif
public final class DeleteOpenChannelMetadataParams: NSObject, @unchecked Sendable {
    /// 1 … 10.
    public let keys: [String]
    /// Whether pairs of others are deleted too.
    @Guarded public var isForce = false

    public init(keys: [String]) {
        self.keys = keys
        super.init()
    }
}

/// Messages of an open channel to load from the service.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, a `NIOLockedValueBox`.
#if canImport(ObjectiveC)
    @objc(NCOpenChannelMessagesQueryParams) @objcMembers
#endif
public final class OpenChannelMessagesQueryParams: NSObject, @unchecked Sendable {
    public let channelId: String
    /// 1 … 100.
    @Guarded public var pageSize: Int32 = 20
    /// Milliseconds since 1970, exclusive; 0 for the end at which the list begins.
    @Guarded public var startTime: Int64 = 0
    @Guarded public var isAscending = false

    public init(channelId: String) {
        self.channelId = channelId
        super.init()
    }
}
