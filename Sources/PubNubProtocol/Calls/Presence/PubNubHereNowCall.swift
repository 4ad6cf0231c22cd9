import WireCoding

/// Requests the present users: on channels, in groups, or on all channels when neither is given (rules PL-30 and PL-31).
public struct PubNubHereNowCall: PubNubCall, Hashable {
    /// The details of the answer.
    public enum Verbosity: Int, Hashable, Sendable {
        /// The number of users.
        case occupancy
        /// The number of users and their ids.
        case users
        /// The number of users, their ids and states.
        case state
    }

    /// The most users of one answer.
    public static let maximumLimit = 1000

    public var channels: [String]
    public var groups: [String]
    public var verbosity: Verbosity
    /// The maximum number of users of each channel, 0 to 1000; nil for the service's default.
    public var limit: Int?
    /// The number of users to skip.
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

    /// For one channel `{"occupancy":2,"uuids":["a",{"uuid":"b","state":{…}}]}`; otherwise
    /// `{"payload":{"channels":{"a":{"occupancy":1,"uuids":[…]}},"total_channels":1,"total_occupancy":1}}`.
    public func answer(_ body: [UInt8]) throws(PubNubProblem) -> PubNubHereNow {
        let answer = try CallAnswer.object(body)
        guard let payload = Members(answer["payload"]) else {
            guard answer["occupancy"] != nil, channels.count == 1 else {
                throw .malformed("The answer has no list of present users.")
            }
            let channel = PubNubHereNow.Channel(name: channels[0], reading: answer)
            return PubNubHereNow(
                channels: [channel], totalChannels: channel.occupancy > 0 ? 1 : 0, totalOccupancy: channel.occupancy)
        }
        var present: [PubNubHereNow.Channel] = []
        // Some services send an empty list instead of an object when there are no users.
        for channel in Members(payload["channels"])?.ordered ?? [] {
            // A channel that cannot be read is skipped; the others are returned (rule PN-40).
            guard let members = Members(channel.value) else { continue }
            present.append(PubNubHereNow.Channel(name: channel.key, reading: members))
        }
        return PubNubHereNow(
            channels: present, totalChannels: payload.integer("total_channels") ?? present.count,
            totalOccupancy: payload.integer("total_occupancy") ?? Self.total(present))
    }
}

extension PubNubHereNowCall {
    /// The sum of the occupancies, which may be any numbers; `Int.max` on overflow.
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

/// The users on channels.
public struct PubNubHereNow: Hashable, Sendable {
    /// A user.
    public struct User: Hashable, Sendable {
        public var id: String
        /// The user's state; nil when there is none, or when the request did not include it.
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
        /// The users. Nil when the request asked only for their number.
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
    /// The number of channels with users.
    public var totalChannels: Int
    public var totalOccupancy: Int

    public init(channels: [Channel], totalChannels: Int, totalOccupancy: Int) {
        self.channels = channels
        self.totalChannels = totalChannels
        self.totalOccupancy = totalOccupancy
    }
}
