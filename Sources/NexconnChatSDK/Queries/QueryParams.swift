import Foundation

/// The sources from which messages are loaded.
#if canImport(ObjectiveC)
    @objc(NCMessageLoadPolicy)
#endif
public enum MessageLoadPolicy: Int, Sendable {
    /// This device only.
    case local = 0
    /// The server only.
    case remote = 1
    /// This device, after missing messages were fetched from the server.
    case localRemote = 2
}

/// Selects channels to list.
///
/// `@unchecked Sendable`: every property is `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCChannelsQueryParams) @objcMembers
#endif
public final class ChannelsQueryParams: NSObject, @unchecked Sendable {
    /// The types of channels; see ``setChannelTypes(_:)``.
    @Guarded public private(set) var channelTypes: [ChannelType] = [.direct, .group, .system]
    /// How many channels a page has, 1 … 50.
    @Guarded public var pageSize: Int32 = 20
    /// Selects channels whose last operation was before this time, milliseconds since 1970; 0 for all.
    @Guarded public var startTime: Int64 = 0
    /// Whether pinned channels come first.
    @Guarded public var topPriority = true

    /// Sets the types of channels to list. Open channels are never listed.
    public func setChannelTypes(_ types: [ChannelType]) {
        channelTypes = types
    }
}

/// Selects messages of a channel.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCMessagesQueryParams) @objcMembers
#endif
public final class MessagesQueryParams: NSObject, @unchecked Sendable {
    /// The channel.
    public let channelIdentifier: ChannelIdentifier
    /// How many messages a page has, 1 … 100.
    @Guarded public var pageSize: Int32 = 20
    /// Where the list starts, milliseconds since 1970, exclusive; 0 for the newest message, or the oldest one in ascending order.
    @Guarded public var startTime: Int64 = 0
    /// Whether the list goes from older to newer messages.
    @Guarded public var isAscending = false
    /// The source of the messages.
    @Guarded public var policy: MessageLoadPolicy = .localRemote

    /// The newest messages of a channel.
    public init(channelIdentifier: ChannelIdentifier) {
        self.channelIdentifier = channelIdentifier
        super.init()
    }
}

/// Selects messages of a channel in this device's database.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCLocalMessagesByTimeQueryParams) @objcMembers
#endif
public final class LocalMessagesByTimeQueryParams: NSObject, @unchecked Sendable {
    /// The channel.
    public let channelIdentifier: ChannelIdentifier
    /// How many messages a page has, 1 … 100.
    @Guarded public var pageSize: Int32 = 20
    /// Where the list starts, milliseconds since 1970, exclusive; 0 for the newest message, or the oldest one in ascending order.
    @Guarded public var sentTime: Int64 = 0
    /// Whether the list goes from older to newer messages.
    @Guarded public var isAscending = false
    /// The types of messages to list; empty for all types.
    @Guarded public var messageTypes: [String] = []

    /// The newest messages of a channel.
    public init(channelIdentifier: ChannelIdentifier) {
        self.channelIdentifier = channelIdentifier
        super.init()
    }
}

/// Selects messages of a channel that contain a keyword.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCSearchMessagesQueryParams) @objcMembers
#endif
public final class SearchMessagesQueryParams: NSObject, @unchecked Sendable {
    /// The channel.
    public let channelIdentifier: ChannelIdentifier
    /// One or more words. A message matches when each of them is the beginning of one of its words.
    public let keyword: String
    /// How many messages a page has, 1 … 100.
    @Guarded public var pageSize: Int32 = 20
    /// Selects messages before this time, milliseconds since 1970; 0 for all.
    @Guarded public var startTime: Int64 = 0
    /// The types of messages to search; empty for all types.
    @Guarded public var messageTypes: [String] = []

    /// All messages of a channel that contain a keyword.
    public init(channelIdentifier: ChannelIdentifier, keyword: String) {
        self.channelIdentifier = channelIdentifier
        self.keyword = keyword
        super.init()
    }
}

/// Selects messages of one sender in a channel.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCSearchMessagesByUserQueryParams) @objcMembers
#endif
public final class SearchMessagesByUserQueryParams: NSObject, @unchecked Sendable {
    /// The channel.
    public let channelIdentifier: ChannelIdentifier
    /// The sender's user id.
    public let userId: String
    /// How many messages a page has, 1 … 100.
    @Guarded public var pageSize: Int32 = 20
    /// Selects messages before this time, milliseconds since 1970; 0 for all.
    @Guarded public var startTime: Int64 = 0

    /// All messages of a sender in a channel.
    public init(channelIdentifier: ChannelIdentifier, userId: String) {
        self.channelIdentifier = channelIdentifier
        self.userId = userId
        super.init()
    }
}

/// Selects messages of a period, all or those with a keyword.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCSearchMessagesByTimeRangeQueryParams) @objcMembers
#endif
public final class SearchMessagesByTimeRangeQueryParams: NSObject, @unchecked Sendable {
    /// The channel.
    public let channelIdentifier: ChannelIdentifier
    /// One or more words, as in ``SearchMessagesQueryParams/keyword``; empty for all messages of the period.
    public let keyword: String
    /// The start of the period, milliseconds since 1970, included.
    public let startTime: Int64
    /// The end of the period, milliseconds since 1970, included; 0 for now.
    public let endTime: Int64
    /// How many messages a page has, 1 … 100.
    @Guarded public var pageSize: Int32 = 20

    /// Messages of a channel with a keyword in a period.
    public init(channelIdentifier: ChannelIdentifier, keyword: String, startTime: Int64, endTime: Int64) {
        self.channelIdentifier = channelIdentifier
        self.keyword = keyword
        self.startTime = startTime
        self.endTime = endTime
        super.init()
    }
}

/// Selects channels with messages that contain a keyword.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCSearchChannelsParams) @objcMembers
#endif
public final class SearchChannelsParams: NSObject, @unchecked Sendable {
    /// One or more words, as in ``SearchMessagesQueryParams/keyword``.
    public let keyword: String
    /// The types of channels to search.
    @Guarded public var channelTypes: [ChannelType] = [.direct, .group, .system]
    /// The types of messages to search; empty for all types.
    @Guarded public var messageTypes: [String] = []

    /// All channels with messages that contain a keyword.
    public init(keyword: String) {
        self.keyword = keyword
        super.init()
    }
}

/// A channel with messages that contain the keyword.
#if canImport(ObjectiveC)
    @objc(NCSearchChannelResult) @objcMembers
#endif
public final class SearchChannelResult: NSObject, Sendable {
    /// The channel.
    public let channel: BaseChannel
    /// How many of its messages contain the keyword.
    public let matchCount: Int

    init(channel: BaseChannel, matchCount: Int) {
        self.channel = channel
        self.matchCount = matchCount
        super.init()
    }
}

/// Pages of the list of channels.
public typealias ChannelsQuery = PagedQuery<BaseChannel>
/// Pages of messages.
public typealias MessagesQuery = PagedQuery<Message>
