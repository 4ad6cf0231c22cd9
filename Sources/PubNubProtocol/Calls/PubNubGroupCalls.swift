/// A request for the names of all channel groups of the keyset.
public struct PubNubListGroupsCall: PubNubCall, Hashable {
    public init() {}

    public func request(_ settings: PubNubSettings) throws(PubNubProblem) -> PubNubRequest {
        PubNubRequest(path: try PubNubRequest.groups(settings))
    }

    /// `{"payload":{"namespace":"","groups":["g1"]}}`
    public func answer(_ body: [UInt8]) throws(PubNubProblem) -> [String] {
        try CallAnswer.object(body).object("payload").strings("groups")
    }
}

/// A request for the names of the channels in a group.
public struct PubNubListGroupCall: PubNubCall, Hashable {
    public var group: String

    public init(group: String) {
        self.group = group
    }

    public func request(_ settings: PubNubSettings) throws(PubNubProblem) -> PubNubRequest {
        PubNubRequest(path: try PubNubRequest.groups(settings) + [try CallArguments.name(group, .group)])
    }

    /// `{"payload":{"channels":["c1"],"group":"g"}}`
    public func answer(_ body: [UInt8]) throws(PubNubProblem) -> [String] {
        try CallAnswer.object(body).object("payload").strings("channels")
    }
}

/// A request that adds channels to a group or removes them. The service creates a group when its first channel is added (rules PL-40 and
/// PL-41).
public struct PubNubChangeGroupCall: PubNubCall, Hashable {
    public enum Change: String, Hashable, Sendable {
        case add, remove
    }

    /// The maximum number of channels in one request.
    public static let maximumChannels = 200

    public var group: String
    public var change: Change
    public var channels: [String]

    public init(group: String, _ change: Change, channels: [String]) {
        self.group = group
        self.change = change
        self.channels = channels
    }

    public func request(_ settings: PubNubSettings) throws(PubNubProblem) -> PubNubRequest {
        guard let list = try CallArguments.queryList(channels, .channel) else {
            throw .badArguments("The request names no channel to \(change.rawValue). Pass at least one channel.")
        }
        guard channels.count <= Self.maximumChannels else {
            throw .badArguments("The group change names too many channels. Pass at most \(Self.maximumChannels) at once.")
        }
        return PubNubRequest(
            path: try PubNubRequest.groups(settings) + [try CallArguments.name(group, .group)],
            parameters: [PubNubRequest.Parameter(change.rawValue, list)])
    }

    public func answer(_ body: [UInt8]) throws(PubNubProblem) {
        _ = try CallAnswer.object(body)
    }
}

/// A request that removes a channel group together with its list of channels.
public struct PubNubRemoveGroupCall: PubNubCall, Hashable {
    public var group: String

    public init(group: String) {
        self.group = group
    }

    public func request(_ settings: PubNubSettings) throws(PubNubProblem) -> PubNubRequest {
        PubNubRequest(path: try PubNubRequest.groups(settings) + [try CallArguments.name(group, .group), "remove"])
    }

    public func answer(_ body: [UInt8]) throws(PubNubProblem) {
        _ = try CallAnswer.object(body)
    }
}

extension PubNubRequest {
    fileprivate static func groups(_ settings: PubNubSettings) throws(PubNubProblem) -> [String] {
        ["v1", "channel-registration", "sub-key", try CallArguments.subscribeKey(settings), "channel-group"]
    }
}
