import Identifiers
import PubNubProtocol
import ServerRuntime
import WireCoding

/// Presence requests (rules PV-50 to PV-56, PV-113 to PV-116).
extension PubNubREST {
    /// The presence change that a request makes; nil for a request that only reads.
    func presenceChange(_ request: PubNubServerRequest, _ route: PubNubRoute) throws(PubNubErrorBody) -> RequestedPresenceChange?
    {
        switch route {
        case .heartbeat(let channels): try heartbeat(request, channels)
        case .leave(let channels): try leave(request, channels)
        case .setState(let channels, let user): try setState(request, channels, of: user)
        default: nil
        }
    }

    private func heartbeat(
        _ request: PubNubServerRequest, _ channels: [String]
    ) throws(PubNubErrorBody) -> RequestedPresenceChange {
        var subscriber = try occupant(request)
        subscriber.owner = owner(of: request)
        let user = subscriber
        let given = try states(request)
        let timeout = request.parameter("heartbeat").flatMap { Int($0) }
        let time = application.occupancyTime
        return RequestedPresenceChange(places: try places(channels, request), answer: .pubnub(PresenceBodies.heartbeat)) {
            place, state, pending in
            state.occupancy.touch(
                place.channel, by: user, timeout: timeout, state: given[place.channel] ?? place.group.flatMap { given[$0] },
                at: time, into: &pending.events)
        }
    }

    private func leave(_ request: PubNubServerRequest, _ channels: [String]) throws(PubNubErrorBody) -> RequestedPresenceChange {
        let user = try occupant(request)
        let time = application.occupancyTime
        return RequestedPresenceChange(places: try places(channels, request), answer: .pubnub(PresenceBodies.leave)) {
            place, state, pending in
            state.occupancy.leave(place.channel, by: user, at: time, into: &pending.events)
            return nil
        }
    }

    private func setState(
        _ request: PubNubServerRequest, _ channels: [String], of user: String
    ) throws(PubNubErrorBody) -> RequestedPresenceChange {
        guard PresenceLimits.isValid(user: user) else { throw .invalidUser }
        guard let text = request.parameter("state"), !text.isEmpty else { throw .noState }
        guard let json = try? JSONText(text), json.kind == .object else { throw .presence(400, "Invalid JSON") }
        let bytes = Array(json.text.utf8)
        guard bytes.count <= application.occupancyLimits.stateBytes else { throw .stateTooLarge }
        let time = application.occupancyTime
        var subject = OccupancyUser(id: Identifier(user))
        subject.owner = owner(of: request)
        let user = subject
        return RequestedPresenceChange(places: try places(channels, request), answer: .pubnub(PresenceBodies.stateSet(bytes))) {
            place, state, pending in
            state.occupancy.setState(bytes, of: user, on: place.channel, at: time, into: &pending.events)
        }
    }

    // MARK: Questions

    func hereNow(_ request: PubNubServerRequest, _ channels: [String]) throws(PubNubErrorBody) -> HTTPAnswer {
        let asked = HereNowRequest(request)
        let places = try places(channels, request)
        if channels.count == 1, request.groups.isEmpty {
            let channel = Identifier(channels[0])
            return .pubnub(PresenceBodies.hereNow(application.withState { asked.users(of: channel, $0.occupancy) }))
        }
        return .pubnub(
            PresenceBodies.hereNow(application.withState { asked.occupied(places.map(\.channel), $0.occupancy) }))
    }

    /// Lists the users of all channels. The lock is not held while names are sorted and bodies encoded. Do not call this method on an event
    /// loop, because it takes long.
    func hereNowEverywhere(_ request: PubNubServerRequest) -> HTTPAnswer {
        let asked = HereNowRequest(request)
        let names = application.withState { $0.occupancy.unsortedChannels }.sorted()
        return .pubnub(
            PresenceBodies.hereNow(
                application.withState { state in
                    var found = asked.occupied(names, state.occupancy, isWhole: true)
                    (found.channelCount, found.occupancy) = (state.occupancy.channelCount, state.occupancy.stayCount)
                    return found
                }))
    }

    func whereNow(_ user: String) -> HTTPAnswer {
        let channels = application.withState { $0.occupancy.unsortedChannels(of: Identifier(user)) }.sorted()
        var left = PresenceLimits.answerBytes
        return .pubnub(
            PresenceBodies.whereNow(
                channels.prefix { channel in
                    left -= channel.utf8.count + 4
                    return left > 0
                }.texts))
    }

    func state(_ request: PubNubServerRequest, _ channels: [String], of user: String) throws(PubNubErrorBody) -> HTTPAnswer {
        let isSingle = channels.count == 1 && request.groups.isEmpty
        let places = try places(channels, request)
        let user = Identifier(user)
        let found = application.withState { state in
            var found: [(name: String, state: [UInt8]?)] = []
            var left = PresenceLimits.answerBytes
            for place in places where left > 0 {
                let own = state.occupancy.state(of: user, on: place.channel)
                left -= place.channel.utf8.count + (own?.count ?? 2) + 6
                found.append((place.channel.text, own))
            }
            return found
        }
        return .pubnub(PresenceBodies.state(of: user.text, on: found, isSingle: isSingle))
    }

    // MARK: Channels, groups and users that a request names

    /// The channels on which the user of the request becomes or stays present: the named channels and the channels of the named groups,
    /// each once. Presence channels are excluded, because a subscription to a presence channel makes no user present.
    private func places(_ channels: [String], _ request: PubNubServerRequest) throws(PubNubErrorBody) -> [PresencePlace] {
        let (channels, groups) = (channels.identifiers, request.groups.identifiers)
        try PresenceLimits.check(channels: channels, groups: groups)
        let members = groups.isEmpty ? [] : application.withState { state in groups.map { ($0, state.groups.channels(of: $0)) } }
        let count = members.reduce(channels.count) { $0 + $1.1.count }
        guard count <= PresenceLimits.places else { throw .tooManyPlaces }
        var seen: Set<Identifier> = []
        let named = channels.map { PresencePlace(channel: $0) }
        let grouped = members.flatMap { group, channels in channels.map { PresencePlace(channel: $0, group: group) } }
        return (named + grouped).filter { !$0.channel.isPresenceChannel && seen.insert($0.channel).inserted }
    }

    private func occupant(_ request: PubNubServerRequest) throws(PubNubErrorBody) -> OccupancyUser {
        let instance = request.parameter("instanceid") ?? ""
        guard let user = request.user, !user.isEmpty, PresenceLimits.isValid(user: user), PresenceLimits.isValid(user: instance)
        else { throw .invalidUser }
        return OccupancyUser(id: Identifier(user), connection: Identifier(instance))
    }

    /// The presence states in the parameter `state`, by channel or group.
    private func states(_ request: PubNubServerRequest) throws(PubNubErrorBody) -> [Identifier: [UInt8]] {
        guard let text = request.parameter("state"), !text.isEmpty else { return [:] }
        guard let members = try? JSONText(text).members else { throw .presence(400, "Invalid JSON") }
        let limit = application.occupancyLimits.stateBytes
        guard members.allSatisfy({ $0.value.text.utf8.count <= limit }) else { throw .stateTooLarge }
        return Dictionary(
            members.filter { $0.value.kind == .object }.map { (Identifier($0.key), Array($0.value.text.utf8)) },
            uniquingKeysWith: { _, last in last })
    }
}

/// The details of each channel that a here-now request (a request for the present users) selects.
private struct HereNowRequest {
    /// The largest number of users on a page, which is also the default.
    private static let pageLimit = 1000

    private let limit: Int
    private let offset: Int
    private let withState: Bool?

    init(_ request: PubNubServerRequest) {
        let asked = request.parameter("limit").flatMap { Int($0) } ?? Self.pageLimit
        let hidesUsers = request.flag("disable_uuids") ?? false
        limit = hidesUsers ? 0 : min(max(asked, 0), Self.pageLimit)
        offset = max(0, request.parameter("offset").flatMap { Int($0) } ?? 0)
        withState = limit == 0 ? nil : request.flag("state") ?? false
    }

    func users(of channel: Identifier, _ presence: OccupancyState) -> PresenceBodies.Users {
        var left = PresenceLimits.answerBytes
        return users(of: channel, presence, &left)
    }

    /// The channels with users, without the channels that would exceed the size limit of an answer (rule PV-115).
    ///
    /// - Parameter isWhole: true when channels that are not listed need not be counted.
    func occupied(_ channels: [Identifier], _ presence: OccupancyState, isWhole: Bool = false) -> PresenceBodies.Channels {
        var found = PresenceBodies.Channels()
        var left = PresenceLimits.answerBytes
        for channel in channels {
            let occupancy = presence.occupancy(of: channel)
            guard occupancy > 0 else { continue }
            found.channelCount += 1
            found.occupancy += occupancy
            left -= channel.utf8.count + 40
            guard left > 0 else {
                if isWhole { break }
                continue
            }
            found.listed.append((channel.text, users(of: channel, presence, &left)))
        }
        return found
    }

    private func users(of channel: Identifier, _ presence: OccupancyState, _ left: inout Int) -> PresenceBodies.Users {
        var page = presence.hereNow(channel, offset: offset, limit: left > 0 ? limit : 0)
        let fitting = page.occupants.firstIndex { occupant in
            left -= occupant.user.utf8.count + (withState == true ? (occupant.state?.count ?? 0) + 24 : 4)
            return left <= 0
        }
        if let fitting { page.occupants.removeSubrange(fitting...) }
        return PresenceBodies.Users(page: page, withState: withState)
    }
}
