import WireCoding

/// A request for the users who are present on channels and on the channels of groups. Without channels and groups, the request is for all
/// channels (rules PL-30 and PL-31).
public struct PubNubHereNowCall: PubNubCall, Hashable {
    /// The details that the answer includes about the users of each channel.
    public enum Verbosity: Int, Hashable, Sendable {
        /// The number of users.
        case occupancy
        /// The number of users and the users' ids.
        case users
        /// The number of users, the users' ids and their presence states.
        case state
    }

    /// The maximum number of users of each channel in one answer.
    public static let maximumLimit = 1000

    public var channels: [String]
    public var groups: [String]
    public var verbosity: Verbosity
    /// The maximum number of users of each channel, 0 to 1000; nil for the service's default.
    public var limit: Int?
    /// How many users of each channel the answer leaves out at the beginning; nil for none.
    public var offset: Int?

    public init(
        channels: [String] = [], groups: [String] = [], verbosity: Verbosity = .state, limit: Int? = nil, offset: Int? = nil
    ) {
        self.channels = channels
        self.groups = groups
        self.verbosity = verbosity
        self.limit = limit
        self.offset = offset
    }

    public func request(_ settings: PubNubSettings) throws(PubNubProblem) -> PubNubRequest {
        if let limit, !(0...Self.maximumLimit).contains(limit) {
            throw .badArguments("The limit is \(limit). Pass 0 to \(Self.maximumLimit), or leave it out.")
        }
        if let offset, offset < 0 { throw .badArguments("The offset is negative. Pass 0 or more, or leave it out.") }
        var path = ["v2", "presence", "sub-key", try CallArguments.subscribeKey(settings)]
        if !channels.isEmpty || !groups.isEmpty { path += ["channel", try CallArguments.pathList(channels, .channel)] }
        var parameters: [PubNubRequest.Parameter] = []
        parameters.add("channel-group", try CallArguments.queryList(groups, .group))
        parameters.add("disable_uuids", verbosity == .occupancy ? 1 : 0)
        parameters.add("state", verbosity == .state ? 1 : 0)
        parameters.add("limit", limit)
        parameters.add("offset", offset)
        return PubNubRequest(path: path, parameters: parameters)
    }

    /// Reads the answer. For one channel it is `{"occupancy":2,"uuids":["a",{"uuid":"b","state":{…}}]}`, otherwise
    /// `{"payload":{"channels":{"a":{"occupancy":1,"uuids":[…]}},"total_channels":1,"total_occupancy":1}}`.
    public func answer(_ body: [UInt8]) throws(PubNubProblem) -> PubNubHereNow {
        let answer = try CallAnswer.object(body)
        guard let payload = Members(answer["payload"]) else {
            guard answer["occupancy"] != nil, channels.count == 1 else {
                throw .malformed("The service's answer contains no list of present users.")
            }
            let channel = PubNubHereNow.Channel(name: channels[0], reading: answer)
            return PubNubHereNow(
                channels: [channel], totalChannels: channel.occupancy > 0 ? 1 : 0, totalOccupancy: channel.occupancy)
        }
        var present: [PubNubHereNow.Channel] = []
        // Some services send an empty list instead of an empty object when no users are present.
        for channel in Members(payload["channels"])?.ordered ?? [] {
            // A channel that cannot be read is left out, and the other channels are returned (rule PN-40).
            guard let members = Members(channel.value) else { continue }
            present.append(PubNubHereNow.Channel(name: channel.key, reading: members))
        }
        return PubNubHereNow(
            channels: present, totalChannels: payload.integer("total_channels") ?? present.count,
            totalOccupancy: payload.integer("total_occupancy") ?? Self.total(present))
    }
}

extension PubNubHereNowCall {
    /// The sum of the channels' occupancies. If the sum overflows, because the service sent very large numbers, the result is `Int.max`.
    private static func total(_ channels: [PubNubHereNow.Channel]) -> Int {
        var total = 0
        for channel in channels {
            let (sum, isTooLarge) = total.addingReportingOverflow(channel.occupancy)
            if isTooLarge { return .max }
            total = sum
        }
        return total
    }
}

/// The users who are present on channels, by channel.
public struct PubNubHereNow: Hashable, Sendable {
    /// A user.
    public struct User: Hashable, Sendable {
        public var id: String
        /// The user's presence state; nil when the user has none, or when the request did not include states.
        public var state: JSONText?

        public init(id: String, state: JSONText? = nil) {
            self.id = id
            self.state = state
        }
    }

    /// A channel.
    public struct Channel: Hashable, Sendable {
        public var name: String
        public var occupancy: Int
        /// The users who are present; nil when the request asked only for their number.
        public var users: [User]?

        public init(name: String, occupancy: Int, users: [User]? = nil) {
            self.name = name
            self.occupancy = occupancy
            self.users = users
        }

        init(name: String, reading members: Members) {
            let users = members["uuids"]?.elements?.compactMap { element -> User? in
                if let id = element.string { return User(id: id) }
                guard let user = Members(element), let id = user.string("uuid") else { return nil }
                return User(id: id, state: user["state"])
            }
            self.init(name: name, occupancy: members.integer("occupancy") ?? users?.count ?? 0, users: users)
        }
    }

    public var channels: [Channel]
    /// The number of channels on which users are present.
    public var totalChannels: Int
    public var totalOccupancy: Int

    public init(channels: [Channel], totalChannels: Int, totalOccupancy: Int) {
        self.channels = channels
        self.totalChannels = totalChannels
        self.totalOccupancy = totalOccupancy
    }
}
