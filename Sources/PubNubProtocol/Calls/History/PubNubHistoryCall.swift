import ConnectionEngine
import WireCoding

/// A request for messages of one channel to the older of PubNub's two history services (v2). Only this service can begin with the oldest
/// message (rules PL-20 to PL-24).
public struct PubNubHistoryCall: PubNubCall, Hashable {
    /// The maximum number of messages in one answer.
    public static let maximumLimit = 100

    public var channel: String
    /// The excluded bound of the time range; nil for no bound. Without `end`, the messages before `start` are returned, or the messages
    /// after it if ``isReversed`` is true.
    public var start: Timetoken?
    /// The included bound of the time range; nil for no bound.
    public var end: Timetoken?
    /// The maximum number of messages, up to 100; nil for 100.
    public var limit: Int?
    /// Whether the answer contains the oldest messages of the time range; otherwise it contains the newest ones.
    public var isReversed: Bool
    public var includesTimetoken: Bool
    public var includesMetadata: Bool

    public init(
        channel: String, start: Timetoken? = nil, end: Timetoken? = nil, limit: Int? = nil, isReversed: Bool = false,
        includesTimetoken: Bool = false, includesMetadata: Bool = false
    ) {
        self.channel = channel
        self.start = start
        self.end = end
        self.limit = limit
        self.isReversed = isReversed
        self.includesTimetoken = includesTimetoken
        self.includesMetadata = includesMetadata
    }

    public func request(_ settings: PubNubSettings) throws(PubNubProblem) -> PubNubRequest {
        if let limit, limit < 1 {
            throw .badArguments("The limit of messages is below 1. Pass 1 to \(Self.maximumLimit), or leave it out.")
        }
        var parameters: [PubNubRequest.Parameter] = []
        parameters.add("count", min(limit ?? Self.maximumLimit, Self.maximumLimit))
        parameters.add("start", start)
        parameters.add("end", end)
        if isReversed { parameters.add("reverse", flag: true) }
        if includesTimetoken { parameters.add("include_token", flag: true) }
        if includesMetadata { parameters.add("include_meta", flag: true) }
        return PubNubRequest(
            path: [
                "v2", "history", "sub-key", try CallArguments.subscribeKey(settings), "channel",
                try CallArguments.name(channel, .channel),
            ],
            parameters: parameters)
    }

    /// `[[<messages>],<first>,<last>]`
    public func answer(_ body: [UInt8]) throws(PubNubProblem) -> PubNubHistoryPage {
        let parts = try CallAnswer.list(body)
        guard let elements = parts.first?.elements else {
            throw .malformed("The service's answer does not have the form of a history answer.")
        }
        let first = parts.count > 1 ? parts[1].timetoken ?? .zero : .zero
        let last = parts.count > 2 ? parts[2].timetoken ?? .zero : .zero
        try Self.expectNoError(elements, first: first, last: last)
        var page = PubNubHistoryPage(messages: [], first: first, last: last)
        page.messages.reserveCapacity(elements.count)
        for element in elements {
            if !includesTimetoken && !includesMetadata {
                page.messages.append(PubNubStoredMessage(payload: element))
            } else if let message = PubNubStoredMessage(reading: element) {
                page.messages.append(message)
            } else {
                page.unreadable += 1
            }
        }
        return page
    }

    /// Throws when the keyset has no history. In this case the service answers with status 200 and a text in place of messages, and both
    /// timetokens are 0 (rule PL-24).
    private static func expectNoError(
        _ elements: [JSONText], first: Timetoken, last: Timetoken
    ) throws(PubNubProblem) {
        guard first == .zero, last == .zero, elements.count == 1, let words = elements[0].string else { return }
        throw PubNubProblem(
            ConnectionFailure(
                .accessDenied, "The service denied access to the history. Enable message storage for the keyset.",
                origin: .server, httpStatus: 200),
            information: String(words.prefix(PubNubLimits.informationLength)))
    }
}

/// One page of the messages of a channel, oldest first, with the timetokens of the first and the last message. Both timetokens are zero
/// when there are no messages.
public struct PubNubHistoryPage: Hashable, Sendable {
    public var messages: [PubNubStoredMessage]
    public var first: Timetoken
    public var last: Timetoken
    /// The number of messages that could not be read and were left out (rule PN-40).
    public var unreadable: Int

    public init(messages: [PubNubStoredMessage], first: Timetoken, last: Timetoken, unreadable: Int = 0) {
        self.messages = messages
        self.first = first
        self.last = last
        self.unreadable = unreadable
    }
}
