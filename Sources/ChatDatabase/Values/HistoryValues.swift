import ChatProtocol

/// The position at which a page of local history starts. The message at that position is never part of the page.
public enum LocalPlace: Hashable, Sendable {
    /// The page begins with the latest message, in descending order.
    case latest
    /// The page begins with the oldest message, in ascending order.
    case oldest
    case before(LocalMessage)
    case after(LocalMessage)
    /// The page begins with the latest message before this time (ms since 1970), in descending order.
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
    /// The messages of the page, newest first or oldest first, depending on the request.
    public var messages: [LocalMessage]
    /// The request to send to the server before this page is shown, because messages may be missing in the page; nil when none can be
    /// missing.
    public var missing: ChatHistoryRequest?

    public init(messages: [LocalMessage], missing: ChatHistoryRequest? = nil) {
        self.messages = messages
        self.missing = missing
    }
}

/// The position at which the next page of a search starts.
public struct SearchPlace: Hashable, Sendable {
    /// The key, in the full-text index, of the last message of the previous page. The search continues with lower keys.
    var key: Int64
}

/// A page of found messages, newest first.
public struct SearchPage: Hashable, Sendable {
    public var messages: [LocalMessage]
    /// The place at which the next page starts; nil if this is the last page.
    public var next: SearchPlace?
}

/// A channel with messages that contain a keyword.
public struct FoundChannel: Hashable, Sendable {
    public var channel: LocalChannel
    /// The number of messages that contain the keyword.
    public var count: Int
}

/// The position in the list of channels at which the next page starts.
public struct ChannelPlace: Hashable, Sendable {
    var isPinned: Bool
    var operationTime: Int64
    var channel: ChatChannel

    /// The position in the list of channels directly after this channel.
    public init(after channel: LocalChannel) {
        isPinned = channel.isPinned
        operationTime = channel.operationTime
        self.channel = channel.channel
    }
}
