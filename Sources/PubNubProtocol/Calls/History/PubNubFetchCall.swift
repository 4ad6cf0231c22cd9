import Identifiers
import WireCoding

/// Requests messages of one or several channels from the newer of the two services (v3), optionally with actions (rules PL-20 to
/// PL-26).
public struct PubNubFetchCall: PubNubCall, Hashable {
    /// The most channels of one request.
    public static let maximumChannels = 500

    public var channels: [String]
    /// The exclusive start: messages from this timetoken on.
    public var start: Timetoken?
    /// The inclusive end: messages up to this timetoken.
    public var end: Timetoken?
    /// The greatest number of messages of each channel. The maximum is 100 for one channel and 25 for several or
    /// with actions; nil means the maximum.
    public var limit: Int?
    public var includesMetadata: Bool
    public var includesPublisher: Bool
    public var includesKind: Bool
    public var includesCustomType: Bool
    /// Whether messages include their actions; for one channel only.
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

    /// The most messages of a channel in one answer.
    public var maximumLimit: Int { channels.count > 1 || includesActions ? 25 : 100 }

    public func request(_ settings: PubNubSettings) throws(PubNubProblem) -> PubNubRequest {
        guard !channels.isEmpty else { throw .badArguments("There is no channel. Pass at least one.") }
        guard channels.count <= Self.maximumChannels else {
            throw .badArguments("There are too many channels. Pass at most \(Self.maximumChannels) at once.")
        }
        guard !includesActions || channels.count == 1 else {
            throw .badArguments("Message actions come for one channel only. Ask for each channel on its own.")
        }
        if let limit, limit < 1 { throw .badArguments("The limit is below 1. Pass 1 to \(maximumLimit), or leave it out.") }
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
    /// One channel and its messages, oldest first.
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
    /// The start of the next page; nil at the end, or when the service does not report it.
    public var more: PubNubMore?
    /// How many messages could not be read and were left out (rule PN-40).
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
