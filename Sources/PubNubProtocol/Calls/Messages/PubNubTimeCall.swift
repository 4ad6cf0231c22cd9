/// A request for the service's time.
public struct PubNubTimeCall: PubNubCall, Hashable {
    public init() {}

    public func request(_ settings: PubNubSettings) throws(PubNubProblem) -> PubNubRequest {
        .time
    }

    /// `[15808218107205592]`
    public func answer(_ body: [UInt8]) throws(PubNubProblem) -> Timetoken {
        guard let time = try CallAnswer.list(body).first?.timetoken else {
            throw .malformed("The service's answer contains no time.")
        }
        return time
    }
}
