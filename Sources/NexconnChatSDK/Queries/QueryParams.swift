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
    /// Messages of this device. Missing messages are fetched from the server and stored first.
    case localRemote = 2
}

/// The parameters that select channels to list.
///
/// `@unchecked Sendable`: every property is `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCChannelsQueryParams) @objcMembers
#endif
public final class ChannelsQueryParams: NSObject, @unchecked Sendable {
    /// The types of channels to list; set by ``setChannelTypes(_:)``.
    @Guarded public private(set) var channelTypes: [ChannelType] = [.direct, .group, .system]
    /// How many channels a page has, 1 … 50.
    @Guarded public var pageSize: Int32 = 20
    /// Selects channels whose last operation was before this time, milliseconds since 1970; 0 for all.
    @Guarded public var startTime: Int64 = 0
    /// Whether pinned channels come before all other channels.
    @Guarded public var topPriority = true

    /// Sets the types of channels to list. Open channels are never listed.
    public func setChannelTypes(_ types: [ChannelType]) {
        channelTypes = types
    }
}

/// The parameters that select messages of a channel.
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
    /// The time at which the list starts, in milliseconds since 1970, exclusive. 0 starts with the newest message, or with the oldest in
    /// ascending order.
    @Guarded public var startTime: Int64 = 0
    /// Whether the list goes from older to newer messages.
    @Guarded public var isAscending = false
    /// Whether messages come from this device, from the server, or from both.
    @Guarded public var policy: MessageLoadPolicy = .localRemote

    /// Creates parameters that select the newest messages of a channel.
    public init(channelIdentifier: ChannelIdentifier) {
        self.channelIdentifier = channelIdentifier
        super.init()
    }
}

/// The parameters that select messages of a channel in this device's database.
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
    /// The time at which the list starts, in milliseconds since 1970, exclusive. 0 starts with the newest message, or with the oldest in
    /// ascending order.
    @Guarded public var sentTime: Int64 = 0
    /// Whether the list goes from older to newer messages.
    @Guarded public var isAscending = false
    /// The types of messages to list; empty for all types.
    @Guarded public var messageTypes: [String] = []

    /// Creates parameters that select the newest messages of a channel.
    public init(channelIdentifier: ChannelIdentifier) {
        self.channelIdentifier = channelIdentifier
        super.init()
    }
}

/// The parameters that select messages of a channel that contain a keyword.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCSearchMessagesQueryParams) @objcMembers
#endif
public final class SearchMessagesQueryParams: NSObject, @unchecked Sendable {
    /// The channel.
    public let channelIdentifier: ChannelIdentifier
    /// One or more words. A message matches if, for each of these words, it contains a word that begins with it.
    public let keyword: String
    /// How many messages a page has, 1 … 100.
    @Guarded public var pageSize: Int32 = 20
    /// Selects messages before this time, in milliseconds since 1970; 0 for all messages.
    @Guarded public var startTime: Int64 = 0
    /// The types of messages to search; empty for all types.
    @Guarded public var messageTypes: [String] = []

    /// Creates parameters that select all messages of a channel that contain a keyword.
    public init(channelIdentifier: ChannelIdentifier, keyword: String) {
        self.channelIdentifier = channelIdentifier
        self.keyword = keyword
        super.init()
    }
}

/// The parameters that select messages of one sender in a channel.
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
    /// Selects messages before this time, in milliseconds since 1970; 0 for all messages.
    @Guarded public var startTime: Int64 = 0

    /// Creates parameters that select all messages of a sender in a channel.
    public init(channelIdentifier: ChannelIdentifier, userId: String) {
        self.channelIdentifier = channelIdentifier
        self.userId = userId
        super.init()
    }
}

/// The parameters that select messages of a channel in a period: all messages, or those with a keyword.
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
    /// The start of the period in milliseconds since 1970, inclusive.
    public let startTime: Int64
    /// The end of the period in milliseconds since 1970, inclusive; 0 for the present time.
    public let endTime: Int64
    /// How many messages a page has, 1 … 100.
    @Guarded public var pageSize: Int32 = 20

    /// Creates parameters that select the messages of a channel with a keyword in a period.
    public init(channelIdentifier: ChannelIdentifier, keyword: String, startTime: Int64, endTime: Int64) {
        self.channelIdentifier = channelIdentifier
        self.keyword = keyword
        self.startTime = startTime
        self.endTime = endTime
        super.init()
    }
}

/// The parameters that select channels with messages that contain a keyword.
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

    /// Creates parameters that select all channels with messages that contain a keyword.
    public init(keyword: String) {
        self.keyword = keyword
        super.init()
    }
}

/// A search result: a channel with messages that contain the keyword.
#if canImport(ObjectiveC)
    @objc(NCSearchChannelResult) @objcMembers
#endif
public final class SearchChannelResult: NSObject, Sendable {
    /// The channel.
    public let channel: BaseChannel
    /// How many of the channel's messages contain the keyword.
    public let matchCount: Int

    init(channel: BaseChannel, matchCount: Int) {
        self.channel = channel
        self.matchCount = matchCount
        super.init()
    }
}

/// A list of channels that is loaded page by page.
public typealias ChannelsQuery = PagedQuery<BaseChannel>
/// Pages of messages.
public typealias MessagesQuery = PagedQuery<Message>
