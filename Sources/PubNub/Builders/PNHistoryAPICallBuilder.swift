import Foundation

/// Builds a request for stored messages of one channel or several channels.
public final class PNHistoryAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var draft = HistoryDraft()

    /// The name of a single channel. The answer has up to 100 of its messages.
    public var channel: (String) -> PNHistoryAPICallBuilder { argument { $0.draft.channel = $1 } }
    /// The names of several channels. The answer has the newest message of each channel, or up to 25 messages of each channel when a limit
    /// is set.
    public var channels: ([String]) -> PNHistoryAPICallBuilder { argument { $0.draft.channels = $1 } }
    /// The timetoken that bounds the time range and does not belong to it. Without `end`, the answer has messages that are older than this
    /// timetoken; with `reverse`, it has newer messages.
    public var start: (NSNumber) -> PNHistoryAPICallBuilder { argument { $0.draft.start = $1 } }
    /// The timetoken that bounds the time range and belongs to it; by default there is no such bound.
    public var end: (NSNumber) -> PNHistoryAPICallBuilder { argument { $0.draft.end = $1 } }
    /// The maximum number of messages of each channel. By default 1 for several channels, otherwise the service's maximum.
    public var limit: (UInt) -> PNHistoryAPICallBuilder { argument { $0.draft.limit = $1 } }
    /// Whether messages include their timetokens; false by default. Messages of several channels always include them.
    public var includeTimeToken: (Bool) -> PNHistoryAPICallBuilder { argument { $0.draft.includesTimetoken = $1 } }
    /// Whether messages include their metadata.
    public var includeMetadata: (Bool) -> PNHistoryAPICallBuilder { argument { $0.draft.includesMetadata = $1 } }
    /// Whether messages include their type, such as file message; by default true for several channels.
    public var includeMessageType: (Bool) -> PNHistoryAPICallBuilder { argument { $0.draft.includesKind = $1 } }
    /// Whether messages include the user id of their publisher; by default true for several channels.
    public var includeUUID: (Bool) -> PNHistoryAPICallBuilder { argument { $0.draft.includesPublisher = $1 } }
    /// Whether messages include their actions. Possible for one channel only, with up to 25 messages.
    public var includeMessageActions: (Bool) -> PNHistoryAPICallBuilder { argument { $0.draft.includesActions = $1 } }
    /// Whether the answer begins with the oldest message; false by default. Possible for one channel only, without message actions, types
    /// and publishers.
    public var reverse: (Bool) -> PNHistoryAPICallBuilder { argument { $0.draft.isReversed = $1 } }
    /// Additional query parameters of the request, by name.
    public var queryParam: ([AnyHashable: Any]) -> PNHistoryAPICallBuilder { argument { $0.draft.query = $1 } }

    /// Sends the request. The block gets the outcome on the client's callback queue.
    public var performWithCompletion: (@escaping PNHistoryCompletionBlock) -> Void {
        { self.client.history(self.draft, $0) }
    }
}

/// Builds a request that deletes stored messages of a channel.
public final class PNDeleteMessageAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var channelName = ""
    private var from: NSNumber?
    private var to: NSNumber?

    /// The channel.
    public var channel: (String) -> PNDeleteMessageAPICallBuilder { argument { $0.channelName = $1 } }
    /// The timetoken after which messages are deleted; a message with this timetoken is kept. Without `start` and `end`, all messages are
    /// deleted.
    public var start: (NSNumber) -> PNDeleteMessageAPICallBuilder { argument { $0.from = $1 } }
    /// The timetoken up to which messages are deleted; a message with this timetoken is deleted too. Later messages are kept.
    public var end: (NSNumber) -> PNDeleteMessageAPICallBuilder { argument { $0.to = $1 } }
    /// Additional query parameters of the request, by name.
    public var queryParam: ([AnyHashable: Any]) -> PNDeleteMessageAPICallBuilder { argument { $0.query = $1 } }

    /// Sends the request. The block gets the outcome on the client's callback queue.
    public var performWithCompletion: (@escaping PNMessageDeleteCompletionBlock) -> Void {
        { self.client.deleteMessages(self.channelName, start: self.from, end: self.to, query: self.query, $0) }
    }
}

/// Builds a request for the number of messages that were stored since a timetoken.
public final class PNMessageCountAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var names: [String] = []
    private var times: [NSNumber] = []

    /// The names of the channels, at most 100.
    public var channels: ([String]) -> PNMessageCountAPICallBuilder { argument { $0.names = $1 } }
    /// The timetokens after which messages are counted: one timetoken for all channels, or one for each channel in the order of the
    /// channels.
    public var timetokens: ([NSNumber]) -> PNMessageCountAPICallBuilder { argument { $0.times = $1 } }
    /// Additional query parameters of the request, by name.
    public var queryParam: ([AnyHashable: Any]) -> PNMessageCountAPICallBuilder { argument { $0.query = $1 } }

    /// Sends the request. The block gets the outcome on the client's callback queue.
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
