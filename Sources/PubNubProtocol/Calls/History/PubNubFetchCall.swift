import Identifiers
import WireCoding

/// A request for messages of one or several channels to the newer of PubNub's two history services (v3), optionally with actions (rules
/// PL-20 to PL-26).
public struct PubNubFetchCall: PubNubCall, Hashable {
    /// The maximum number of channels in one request.
    public static let maximumChannels = 500

    public var channels: [String]
    /// The excluded bound of the time range; nil for no bound. Without `end`, the messages before `start` are returned.
    public var start: Timetoken?
    /// The included bound of the time range; nil for no bound.
    public var end: Timetoken?
    /// The maximum number of messages of each channel: up to 100 for one channel, up to 25 for several channels or with actions. Nil
    /// requests the highest number that is allowed.
    public var limit: Int?
    public var includesMetadata: Bool
    public var includesPublisher: Bool
    public var includesKind: Bool
    public var includesCustomType: Bool
    /// Whether messages include their actions. Possible for one channel only.
    public var includesActions: Bool

    public init(
        channels: [String], start: Timetoken? = nil, end: Timetoken? = nil, limit: Int? = nil, includesMetadata: Bool = false,
        includesPublisher: Bool = true, includesKind: Bool = true, includesCustomType: Bool = false,
        includesActions: Bool = false
    ) {
        self.channels = channels
        self.start = start
        self.end = end
        self.limit = limit
        self.includesMetadata = includesMetadata
        self.includesPublisher = includesPublisher
        self.includesKind = includesKind
        self.includesCustomType = includesCustomType
        self.includesActions = includesActions
    }

    /// The maximum number of messages of each channel that the service returns in one answer.
    public var maximumLimit: Int { channels.count > 1 || includesActions ? 25 : 100 }

    public func request(_ settings: PubNubSettings) throws(PubNubProblem) -> PubNubRequest {
        guard !channels.isEmpty else { throw .badArguments("The history request names no channel. Pass at least one channel.") }
        guard channels.count <= Self.maximumChannels else {
            throw .badArguments("The history request names too many channels. Pass at most \(Self.maximumChannels) at once.")
        }
        guard !includesActions || channels.count == 1 else {
            throw .badArguments("Message actions can be requested for one channel only. Send one request for each channel.")
        }
        if let limit, limit < 1 {
            throw .badArguments("The limit of messages is below 1. Pass 1 to \(maximumLimit), or leave it out.")
        }
        var parameters: [PubNubRequest.Parameter] = []
        parameters.add("max", min(limit ?? maximumLimit, maximumLimit))
        parameters.add("start", start)
        parameters.add("end", end)
        parameters.add("include_meta", flag: includesMetadata)
        parameters.add("include_uuid", flag: includesPublisher)
        parameters.add("include_message_type", flag: includesKind)
        if includesCustomType { parameters.add("include_custom_message_type", flag: true) }
        return PubNubRequest(
            path: [
                "v3", includesActions ? "history-with-actions" : "history", "sub-key",
                try CallArguments.subscribeKey(settings), "channel", try CallArguments.pathList(channels, .channel),
            ],
            parameters: parameters)
    }

    /// `{"status":200,"error":false,"error_message":"","channels":{"<name>":[<messages>]},"more":{…}}`
    public func answer(_ body: [UInt8]) throws(PubNubProblem) -> PubNubFetched {
        let answer = try CallAnswer.object(body)
        var fetched = PubNubFetched(channels: [], more: PubNubMore(reading: answer["more"]))
        for channel in try answer.object("channels").ordered {
            let elements = channel.value.elements ?? []
            let messages = elements.compactMap(PubNubStoredMessage.init(reading:))
            fetched.unreadable += channel.value.elements == nil ? 1 : elements.count - messages.count
            fetched.channels.append(.init(name: PercentDecoding.decodeOrKeep(channel.key), messages: messages))
        }
        return fetched
    }
}

/// Messages by channel.
public struct PubNubFetched: Hashable, Sendable {
    /// A channel with its messages, oldest first.
    public struct Channel: Hashable, Sendable {
        public var name: String
        public var messages: [PubNubStoredMessage]

        public init(name: String, messages: [PubNubStoredMessage]) {
            self.name = name
            self.messages = messages
        }
    }

    /// The channels with messages; the service leaves out channels without messages.
    public var channels: [Channel]
    /// The bounds of the next page; nil on the last page, or when the service does not report them.
    public var more: PubNubMore?
    /// The number of messages that could not be read and were left out (rule PN-40).
    public var unreadable: Int

    public init(channels: [Channel], more: PubNubMore? = nil, unreadable: Int = 0) {
        self.channels = channels
        self.more = more
        self.unreadable = unreadable
    }

    /// The messages of a channel; empty when the answer does not contain it.
    public subscript(channel: String) -> [PubNubStoredMessage] {
        channels.first { $0.name.isExactly(channel) }?.messages ?? []
    }
}
