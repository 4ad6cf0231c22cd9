import WireCoding

/// Sets a user's state on channels and in groups, which other users see (rule PL-34).
public struct PubNubSetStateCall: PubNubCall, Hashable {
    public var channels: [String]
    public var groups: [String]
    public var userID: String
    /// The state, an object; `{}` for none.
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

    /// `{"payload":{…}}`: the present state.
    public func answer(_ body: [UInt8]) throws(PubNubProblem) -> JSONText {
        let payload = try CallAnswer.object(body).required("payload")
        guard payload.kind == .object else { throw .malformed("The answer's state is not an object.") }
        return payload
    }
}

/// Requests a user's state (rule PL-36).
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

    /// For one channel `{"payload":{…},"channel":"ch"}`; otherwise `{"payload":{"channels":{"ch":{…}}}}`.
    public func answer(_ body: [UInt8]) throws(PubNubProblem) -> [String: JSONText] {
        let answer = try CallAnswer.object(body)
        let payload = try answer.required("payload")
        guard let members = Members(payload) else { throw .malformed("The answer's state is not an object.") }
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
            throw .badArguments("There is neither a channel nor a group. Pass at least one.")
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
