import Foundation

/// Requests stored messages of one channel or several channels.
public final class PNHistoryAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var draft = HistoryDraft()

    /// One channel: up to 100 messages.
    public var channel: (String) -> PNHistoryAPICallBuilder { argument { $0.draft.channel = $1 } }
    /// Several channels: the newest message of each, or up to 25 with a limit.
    public var channels: ([String]) -> PNHistoryAPICallBuilder { argument { $0.draft.channels = $1 } }
    /// The start of the range, exclusive.
    public var start: (NSNumber) -> PNHistoryAPICallBuilder { argument { $0.draft.start = $1 } }
    /// The end of the range, inclusive.
    public var end: (NSNumber) -> PNHistoryAPICallBuilder { argument { $0.draft.end = $1 } }
    /// The maximum number of messages.
    public var limit: (UInt) -> PNHistoryAPICallBuilder { argument { $0.draft.limit = $1 } }
    /// Whether messages include their timetokens; those of several channels always do.
    public var includeTimeToken: (Bool) -> PNHistoryAPICallBuilder { argument { $0.draft.includesTimetoken = $1 } }
    /// Whether messages include their metadata.
    public var includeMetadata: (Bool) -> PNHistoryAPICallBuilder { argument { $0.draft.includesMetadata = $1 } }
    /// Whether messages include their kind; true for several channels.
    public var includeMessageType: (Bool) -> PNHistoryAPICallBuilder { argument { $0.draft.includesKind = $1 } }
    /// Whether messages include their publisher; true for several channels.
    public var includeUUID: (Bool) -> PNHistoryAPICallBuilder { argument { $0.draft.includesPublisher = $1 } }
    /// Whether messages include their actions; for one channel, up to 25 messages.
    public var includeMessageActions: (Bool) -> PNHistoryAPICallBuilder { argument { $0.draft.includesActions = $1 } }
    /// Whether to begin with the oldest message; for the plain history of one channel.
    public var reverse: (Bool) -> PNHistoryAPICallBuilder { argument { $0.draft.isReversed = $1 } }
    /// Further parameters of the request.
    public var queryParam: ([AnyHashable: Any]) -> PNHistoryAPICallBuilder { argument { $0.draft.query = $1 } }

    /// Makes the call. The block is called on the callback queue.
    public var performWithCompletion: (@escaping PNHistoryCompletionBlock) -> Void {
        { self.client.history(self.draft, $0) }
    }
}

/// Deletes stored messages of a channel.
public final class PNDeleteMessageAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var channelName = ""
    private var from: NSNumber?
    private var to: NSNumber?

    /// The channel.
    public var channel: (String) -> PNDeleteMessageAPICallBuilder { argument { $0.channelName = $1 } }
    /// The start of the range, exclusive.
    public var start: (NSNumber) -> PNDeleteMessageAPICallBuilder { argument { $0.from = $1 } }
    /// The end of the range, inclusive.
    public var end: (NSNumber) -> PNDeleteMessageAPICallBuilder { argument { $0.to = $1 } }
    /// Further parameters of the request.
    public var queryParam: ([AnyHashable: Any]) -> PNDeleteMessageAPICallBuilder { argument { $0.query = $1 } }

    /// Makes the call. The block is called on the callback queue.
    public var performWithCompletion: (@escaping PNMessageDeleteCompletionBlock) -> Void {
        { self.client.deleteMessages(self.channelName, start: self.from, end: self.to, query: self.query, $0) }
    }
}

/// Requests the number of messages that were stored since a timetoken.
public final class PNMessageCountAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var names: [String] = []
    private var times: [NSNumber] = []

    /// The channels, at most 100.
    public var channels: ([String]) -> PNMessageCountAPICallBuilder { argument { $0.names = $1 } }
    /// The timetokens from which messages are counted: one for all channels, or one for each.
    public var timetokens: ([NSNumber]) -> PNMessageCountAPICallBuilder { argument { $0.times = $1 } }
    /// Further parameters of the request.
    public var queryParam: ([AnyHashable: Any]) -> PNMessageCountAPICallBuilder { argument { $0.query = $1 } }

    /// Makes the call. The block is called on the callback queue.
    public var performWithCompletion: (@escaping PNMessageCountCompletionBlock) -> Void {
        { self.client.messageCounts(self.names, self.times, query: self.query, $0) }
    }
}

extension PubNub {
    /// Requests stored messages.
    public var history: () -> PNHistoryAPICallBuilder { { PNHistoryAPICallBuilder(self) } }
    /// Deletes stored messages.
    public var deleteMessage: () -> PNDeleteMessageAPICallBuilder { { PNDeleteMessageAPICallBuilder(self) } }
    /// Counts stored messages.
    public var messageCounts: () -> PNMessageCountAPICallBuilder { { PNMessageCountAPICallBuilder(self) } }
}
