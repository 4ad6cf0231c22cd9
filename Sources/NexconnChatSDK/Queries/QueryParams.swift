import Foundation

/// Where messages are loaded from.
#if canImport(ObjectiveC)
    @objc(NCMessageLoadPolicy)
#endif
public enum MessageLoadPolicy: Int, Sendable {
    /// This device only.
    case local = 0
    /// The server only.
    case remote = 1
    /// This device, after its gaps were filled from the server.
    case localRemote = 2
}

/// Which channels to list.
///
/// `@unchecked Sendable`: every property is `Guarded`, a `NIOLockedValueBox`.
#if canImport(ObjectiveC)
    @objc(NCChannelsQueryParams) @objcMembers
#endif
public final class ChannelsQueryParams: NSObject, @unchecked Sendable {
    @Guarded public private(set) var channelTypes: [ChannelType] = [.direct, .group, .system]
    /// 1 … 50.
    @Guarded public var pageSize: Int32 = 20
    /// Only channels whose last operation was before it, ms since 1970; 0 for all.
    @Guarded public var startTime: Int64 = 0
    /// Whether pinned channels come first.
    @Guarded public var topPriority = true

    /// The types of the channels. Open channels are not listed.
    public func setChannelTypes(_ types: [ChannelType]) {
        channelTypes = types
    }
}

/// Which messages of a channel to list.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, a `NIOLockedValueBox`.
#if canImport(ObjectiveC)
    @objc(NCMessagesQueryParams) @objcMembers
#endif
public final class MessagesQueryParams: NSObject, @unchecked Sendable {
    public let channelIdentifier: ChannelIdentifier
    /// 1 … 100.
    @Guarded public var pageSize: Int32 = 20
    /// Milliseconds since 1970, exclusive; 0 for the end at which the list begins.
    @Guarded public var startTime: Int64 = 0
    /// Whether from older messages to newer ones.
    @Guarded public var isAscending = false
    @Guarded public var policy: MessageLoadPolicy = .localRemote

    public init(channelIdentifier: ChannelIdentifier) {
        self.channelIdentifier = channelIdentifier
        super.init()
    }
}

/// Which messages of a channel to list as this device has them.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, a `NIOLockedValueBox`.
#if canImport(ObjectiveC)
    @objc(NCLocalMessagesByTimeQueryParams) @objcMembers
#endif
public final class LocalMessagesByTimeQueryParams: NSObject, @unchecked Sendable {
    public let channelIdentifier: ChannelIdentifier
    /// 1 … 100.
    @Guarded public var pageSize: Int32 = 20
    /// Milliseconds since 1970, exclusive; 0 for the end at which the list begins.
    @Guarded public var sentTime: Int64 = 0
    /// Whether from older messages to newer ones.
    @Guarded public var isAscending = false
    /// Only these types; empty for all.
    @Guarded public var messageTypes: [String] = []

    public init(channelIdentifier: ChannelIdentifier) {
        self.channelIdentifier = channelIdentifier
        super.init()
    }
}

/// Messages with a keyword.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, a `NIOLockedValueBox`.
#if canImport(ObjectiveC)
    @objc(NCSearchMessagesQueryParams) @objcMembers
#endif
public final class SearchMessagesQueryParams: NSObject, @unchecked Sendable {
    public let channelIdentifier: ChannelIdentifier
    /// Words; all must be there, each at the beginning of a word of the message.
    public let keyword: String
    /// 1 … 100.
    @Guarded public var pageSize: Int32 = 20
    /// Only messages before it, ms since 1970; 0 for all.
    @Guarded public var startTime: Int64 = 0
    /// Only these types; empty for all.
    @Guarded public var messageTypes: [String] = []

    public init(channelIdentifier: ChannelIdentifier, keyword: String) {
        self.channelIdentifier = channelIdentifier
        self.keyword = keyword
        super.init()
    }
}

/// Messages of one sender.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, a `NIOLockedValueBox`.
#if canImport(ObjectiveC)
    @objc(NCSearchMessagesByUserQueryParams) @objcMembers
#endif
public final class SearchMessagesByUserQueryParams: NSObject, @unchecked Sendable {
    public let channelIdentifier: ChannelIdentifier
    public let userId: String
    /// 1 … 100.
    @Guarded public var pageSize: Int32 = 20
    /// Only messages before it, ms since 1970; 0 for all.
    @Guarded public var startTime: Int64 = 0

    public init(channelIdentifier: ChannelIdentifier, userId: String) {
        self.channelIdentifier = channelIdentifier
        self.userId = userId
        super.init()
    }
}

/// Messages with a keyword, of a time.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, a `NIOLockedValueBox`.
#if canImport(ObjectiveC)
    @objc(NCSearchMessagesByTimeRangeQueryParams) @objcMembers
#endif
public final class SearchMessagesByTimeRangeQueryParams: NSObject, @unchecked Sendable {
    public let channelIdentifier: ChannelIdentifier
    /// Empty for all messages of the time.
    public let keyword: String
    /// Milliseconds since 1970, both included; 0 as the end means now.
    public let startTime: Int64
    public let endTime: Int64
    /// 1 … 100.
    @Guarded public var pageSize: Int32 = 20

    public init(channelIdentifier: ChannelIdentifier, keyword: String, startTime: Int64, endTime: Int64) {
        self.channelIdentifier = channelIdentifier
        self.keyword = keyword
        self.startTime = startTime
        self.endTime = endTime
        super.init()
    }
}

/// Channels with messages that have a keyword.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, a `NIOLockedValueBox`.
#if canImport(ObjectiveC)
    @objc(NCSearchChannelsParams) @objcMembers
#endif
public final class SearchChannelsParams: NSObject, @unchecked Sendable {
    public let keyword: String
    @Guarded public var channelTypes: [ChannelType] = [.direct, .group, .system]
    /// Only these types; empty for all.
    @Guarded public var messageTypes: [String] = []

    public init(keyword: String) {
        self.keyword = keyword
        super.init()
    }
}

/// A channel in which a keyword was found.
#if canImport(ObjectiveC)
    @objc(NCSearchChannelResult) @objcMembers
#endif
public final class SearchChannelResult: NSObject, Sendable {
    public let channel: BaseChannel
    /// How many of its messages have the keyword.
    public let matchCount: Int

    init(channel: BaseChannel, matchCount: Int) {
        self.channel = channel
        self.matchCount = matchCount
        super.init()
    }
}

public typealias ChannelsQuery = PagedQuery<BaseChannel>
public typealias MessagesQuery = PagedQuery<Message>
