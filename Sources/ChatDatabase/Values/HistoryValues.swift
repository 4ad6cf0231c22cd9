import NexconnProtocol

/// Where a page of local history begins. All ends are exclusive.
public enum LocalPlace: Hashable, Sendable {
    /// Begins at the latest message, backwards.
    case latest
    /// Begins at the oldest message, forwards.
    case oldest
    case before(LocalMessage)
    case after(LocalMessage)
    /// Milliseconds since 1970.
    case beforeTime(Int64)
    case afterTime(Int64)
    case beforeID(NexconnMessageID)
    case afterID(NexconnMessageID)

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
    /// In the direction of the page: newest first, or oldest first.
    public var messages: [LocalMessage]
    /// The request to the server that has to come first, because messages may be missing in this stretch; nil when none can be.
    public var missing: NexconnHistoryRequest?

    public init(messages: [LocalMessage], missing: NexconnHistoryRequest? = nil) {
        self.messages = messages
        self.missing = missing
    }
}

/// The position at which a search continues.
public struct SearchPlace: Hashable, Sendable {
    /// In the order of the index of words.
    var key: Int64
}

/// A page of found messages, newest first.
public struct SearchPage: Hashable, Sendable {
    public var messages: [LocalMessage]
    /// Nil when there is nothing more.
    public var next: SearchPlace?
}

/// A channel in which a keyword was found.
public struct FoundChannel: Hashable, Sendable {
    public var channel: LocalChannel
    /// How many messages have it.
    public var count: Int
}

/// Where the next page of channels begins.
public struct ChannelPlace: Hashable, Sendable {
    var isPinned: Bool
    var operationTime: Int64
    var channel: NexconnChannel

    /// After this channel.
    public init(after channel: LocalChannel) {
        isPinned = channel.isPinned
        operationTime = channel.operationTime
        self.channel = channel.channel
    }
}
