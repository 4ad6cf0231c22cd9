/// A request for the actions of a channel's messages.
public struct PubNubFetchActionsCall: PubNubCall, Hashable {
    /// The maximum number of actions in one answer.
    public static let maximumLimit = 100

    public var channel: String
    /// Only actions older than this timetoken are returned (exclusive); nil to begin at the newest action.
    public var start: Timetoken?
    /// Only actions at or after this timetoken are returned (inclusive); nil for no such limit.
    public var end: Timetoken?
    /// The maximum number of actions in the answer, up to 100; nil for the service's default.
    public var limit: Int?

    public init(channel: String, start: Timetoken? = nil, end: Timetoken? = nil, limit: Int? = nil) {
        self.channel = channel
        self.start = start
        self.end = end
        self.limit = limit
    }

    public func request(_ settings: PubNubSettings) throws(PubNubProblem) -> PubNubRequest {
        if let limit, limit < 1 {
            throw .badArguments("The limit of message actions is below 1. Pass 1 to \(Self.maximumLimit), or leave it out.")
        }
        var parameters: [PubNubRequest.Parameter] = []
        parameters.add("start", start)
        parameters.add("end", end)
        parameters.add("limit", limit.map { min($0, Self.maximumLimit) })
        return PubNubRequest(
            path: [
                "v1", "message-actions", try CallArguments.subscribeKey(settings), "channel",
                try CallArguments.name(channel, .channel),
            ],
            parameters: parameters)
    }

    /// `{"status":200,"data":[…],"more":{…}}`
    public func answer(_ body: [UInt8]) throws(PubNubProblem) -> PubNubFetchedActions {
        let answer = try CallAnswer.object(body)
        guard let elements = try answer.required("data").elements else {
            throw .malformed("The field \"data\" of the service's answer is not a list.")
        }
        var fetched = PubNubFetchedActions(actions: [], more: PubNubMore(reading: answer["more"]))
        fetched.actions.reserveCapacity(elements.count)
        for element in elements {
            if let action = PubNubMessageAction(reading: element) {
                fetched.actions.append(action)
            } else {
                fetched.unreadable += 1
            }
        }
        return fetched
    }
}

/// One page of the actions of a channel's messages, oldest first.
public struct PubNubFetchedActions: Hashable, Sendable {
    public var actions: [PubNubMessageAction]
    /// The bounds of the next page, which has older actions; nil on the last page.
    public var more: PubNubMore?
    /// The number of actions that could not be read and were left out (rule PN-40).
    public var unreadable: Int

    public init(actions: [PubNubMessageAction], more: PubNubMore? = nil, unreadable: Int = 0) {
        self.actions = actions
        self.more = more
        self.unreadable = unreadable
    }
}
