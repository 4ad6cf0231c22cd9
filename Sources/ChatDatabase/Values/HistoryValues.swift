import ChatProtocol

/// The start of a page of local history. The given message, time or id is never part of the page.
public enum LocalPlace: Hashable, Sendable {
    /// Begins at the latest message, in descending order.
    case latest
    /// Begins at the oldest message, in ascending order.
    case oldest
    case before(LocalMessage)
    case after(LocalMessage)
    /// The time in milliseconds since 1970.
    case beforeTime(Int64)
    case afterTime(Int64)
    case beforeID(ChatMessageID)
    case afterID(ChatMessageID)

    /// Whether the page is ordered from older messages to newer ones.
    public var isAscending: Bool {
        switch self {
        case .latest, .before, .beforeTime, .beforeID: false
        case .oldest, .after, .afterTime, .afterID: true
        }
    }
}

/// A page of the locally stored history of a channel.
public struct LocalPage: Hashable, Sendable {
    /// The messages in the direction of the page: newest first, or oldest first.
    public var messages: [LocalMessage]
    /// The request that the server has to answer first, because messages may be missing in this range; nil when none can be missing.
    public var missing: ChatHistoryRequest?

    public init(messages: [LocalMessage], missing: ChatHistoryRequest? = nil) {
        self.messages = messages
        self.missing = missing
    }
}

/// The position at which a search continues.
public struct SearchPlace: Hashable, Sendable {
    /// The key, in the full-text index, of the last message of the previous page. The search continues with lower keys.
    var key: Int64
}

/// A page of found messages, newest first.
public struct SearchPage: Hashable, Sendable {
    public var messages: [LocalMessage]
    /// The start of the next page; nil at the end.
    public var next: SearchPlace?
}

/// A channel in which a keyword was found.
public struct FoundChannel: Hashable, Sendable {
    public var channel: LocalChannel
    /// How many messages contain the keyword.
    public var count: Int
}

/// The start of the next page of channels.
public struct ChannelPlace: Hashable, Sendable {
    var isPinned: Bool
    var operationTime: Int64
    var channel: ChatChannel

    /// The position after this channel.
    public init(after channel: LocalChannel) {
        isPinned = channel.isPinned
        operationTime = channel.operationTime
        self.channel = channel.channel
    }
}
