/// A request for the channels on which a user is present.
public struct PubNubWhereNowCall: PubNubCall, Hashable {
    public var userID: String

    public init(userID: String) {
        self.userID = userID
    }

    public func request(_ settings: PubNubSettings) throws(PubNubProblem) -> PubNubRequest {
        PubNubRequest(
            path: [
                "v2", "presence", "sub-key", try CallArguments.subscribeKey(settings), "uuid",
                try CallArguments.name(userID, .user),
            ])
    }

    /// `{"payload":{"channels":["a"]}}`
    public func answer(_ body: [UInt8]) throws(PubNubProblem) -> [String] {
        try CallAnswer.object(body).object("payload").strings("channels")
    }
}
