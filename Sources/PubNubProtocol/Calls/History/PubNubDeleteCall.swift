/// A request that deletes stored messages of a channel (rule PL-99).
public struct PubNubDeleteCall: PubNubCall, Hashable {
    public var channel: String
    /// The excluded bound: only messages after this timetoken are deleted; nil for no bound.
    public var start: Timetoken?
    /// The included bound: only messages up to this timetoken are deleted; nil for no bound.
    public var end: Timetoken?

    public init(channel: String, start: Timetoken? = nil, end: Timetoken? = nil) {
        self.channel = channel
        self.start = start
        self.end = end
    }

    public func request(_ settings: PubNubSettings) throws(PubNubProblem) -> PubNubRequest {
        // A service may read an `end` of 0 as "no bound". Such a request would delete all messages instead of none, so it is refused.
        guard end != .zero else {
            throw .badArguments("The end is timetoken 0. Pass the timetoken of the last message to delete, or no end.")
        }
        var parameters: [PubNubRequest.Parameter] = []
        parameters.add("start", start)
        parameters.add("end", end)
        return PubNubRequest(
            method: "DELETE",
            path: [
                "v3", "history", "sub-key", try CallArguments.subscribeKey(settings), "channel",
                try CallArguments.name(channel, .channel),
            ],
            parameters: parameters)
    }

    public func answer(_ body: [UInt8]) throws(PubNubProblem) {
        _ = try CallAnswer.object(body)
    }
}
