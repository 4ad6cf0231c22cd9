import WireCoding

/// A request that sets a user's presence state on channels and on the channels of groups. Other users can read the state (rule PL-34).
public struct PubNubSetStateCall: PubNubCall, Hashable {
    public var channels: [String]
    public var groups: [String]
    public var userID: String
    /// The state as a JSON object; `{}` for an empty state.
    public var state: JSONText

    public init(channels: [String] = [], groups: [String] = [], userID: String, state: JSONText) {
        self.channels = channels
        self.groups = groups
        self.userID = userID
        self.state = state
    }

    public func request(_ settings: PubNubSettings) throws(PubNubProblem) -> PubNubRequest {
        guard state.kind == .object else { throw .badArguments("The state is not a JSON object. Pass a dictionary.") }
        var request = try PubNubRequest.state(of: userID, channels: channels, groups: groups, settings)
        request.path.append("data")
        request.parameters.add("state", state.text)
        return request
    }

    /// Reads `{"payload":{…}}`, the user's state after the change.
    public func answer(_ body: [UInt8]) throws(PubNubProblem) -> JSONText {
        let payload = try CallAnswer.object(body).required("payload")
        guard payload.kind == .object else { throw .malformed("The state in the service's answer is not a JSON object.") }
        return payload
    }
}

/// A request for a user's presence state (rule PL-36).
public struct PubNubGetStateCall: PubNubCall, Hashable {
    public var channels: [String]
    public var groups: [String]
    public var userID: String

    public init(channels: [String] = [], groups: [String] = [], userID: String) {
        self.channels = channels
        self.groups = groups
        self.userID = userID
    }

    public func request(_ settings: PubNubSettings) throws(PubNubProblem) -> PubNubRequest {
        try .state(of: userID, channels: channels, groups: groups, settings)
    }

    /// Reads the answer. For one channel it is `{"payload":{…},"channel":"ch"}`, otherwise `{"payload":{"channels":{"ch":{…}}}}`.
    public func answer(_ body: [UInt8]) throws(PubNubProblem) -> [String: JSONText] {
        let answer = try CallAnswer.object(body)
        let payload = try answer.required("payload")
        guard let members = Members(payload) else { throw .malformed("The state in the service's answer is not a JSON object.") }
        if let channel = answer.string("channel") { return [channel: payload] }
        if let states = Members(members["channels"]) {
            return Dictionary(states.ordered.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
        }
        if channels.count == 1, groups.isEmpty { return [channels[0]: payload] }
        return [:]
    }
}

extension PubNubRequest {
    fileprivate static func state(
        of userID: String, channels: [String], groups: [String], _ settings: PubNubSettings
    ) throws(PubNubProblem) -> PubNubRequest {
        guard !channels.isEmpty || !groups.isEmpty else {
            throw .badArguments("The state request names no channel and no group. Pass at least one.")
        }
        var parameters: [Parameter] = []
        parameters.add("channel-group", try CallArguments.queryList(groups, .group))
        return PubNubRequest(
            path: [
                "v2", "presence", "sub-key", try CallArguments.subscribeKey(settings), "channel",
                try CallArguments.pathList(channels, .channel), "uuid", try CallArguments.name(userID, .user),
            ],
            parameters: parameters)
    }
}
