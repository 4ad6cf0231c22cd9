import PubNubProtocol
import RealtimeHub
import WireCoding

/// Presence (wire sheet 4; rules PV-50 to PV-56).
extension PubNubREST {
    func heartbeat(_ request: PubNubServerRequest, _ channels: [String]) throws(PubNubErrorBody) -> HTTPAnswer {
        let user = try occupant(request)
        let given = try states(request)
        let timeout = request.parameter("heartbeat").flatMap { Int($0) }
        let time = application.occupancyTime
        application.change { state, news in
            for channel in Self.present(channels, request.groups, state) {
                state.occupancy.touch(
                    channel.name, by: user, timeout: timeout, state: given[channel.name] ?? channel.group.flatMap { given[$0] },
                    at: time, into: &news.events)
            }
        }
        return .pubnub(PresenceBodies.heartbeat)
    }

    func leave(_ request: PubNubServerRequest, _ channels: [String]) throws(PubNubErrorBody) -> HTTPAnswer {
        let user = try occupant(request)
        let time = application.occupancyTime
        application.change { state, news in
            for channel in Self.present(channels, request.groups, state) {
                state.occupancy.leave(channel.name, by: user, at: time, into: &news.events)
            }
        }
        return .pubnub(PresenceBodies.leave)
    }

    func hereNow(_ request: PubNubServerRequest, _ channels: [String]) -> HTTPAnswer {
        let asked = HereNowRequest(request)
        return .pubnub(
            application.withState { state in
                if let only = channels.first, channels.count == 1, request.groups.isEmpty {
                    return PresenceBodies.hereNow(asked.users(of: only, state.occupancy))
                }
                let names = Self.present(channels, request.groups, state).map(\.name)
                return PresenceBodies.hereNow(asked.occupied(names, state.occupancy))
            })
    }

    func hereNowEverywhere(_ request: PubNubServerRequest) -> HTTPAnswer {
        let asked = HereNowRequest(request)
        return .pubnub(
            application.withState { state in
                PresenceBodies.hereNow(asked.occupied(state.occupancy.occupiedChannels, state.occupancy))
            })
    }

    func whereNow(_ user: String) -> HTTPAnswer {
        .pubnub(PresenceBodies.whereNow(application.withState { $0.occupancy.whereNow(user) }))
    }

    func state(_ request: PubNubServerRequest, _ channels: [String], of user: String) -> HTTPAnswer {
        let isSingle = channels.count == 1 && request.groups.isEmpty
        return .pubnub(
            application.withState { state in
                let found = Self.present(channels, request.groups, state).map { channel in
                    (name: channel.name, state: state.occupancy.state(of: user, on: channel.name))
                }
                return PresenceBodies.state(of: user, on: found, isSingle: isSingle)
            })
    }

    func setState(
        _ request: PubNubServerRequest, _ channels: [String], of user: String
    ) throws(PubNubErrorBody) -> HTTPAnswer {
        guard let text = request.parameter("state"), !text.isEmpty else { throw .noState }
        guard let json = try? JSONText(text), json.kind == .object else { throw .presence(400, "Invalid JSON") }
        let bytes = Array(json.text.utf8)
        let time = application.occupancyTime
        application.change { state, news in
            for channel in Self.present(channels, request.groups, state) {
                state.occupancy.setState(bytes, of: user, on: channel.name, at: time, into: &news.events)
            }
        }
        return .pubnub(PresenceBodies.stateSet(bytes))
    }

    /// Channels where somebody can be: those that are named, and those of groups, each once. Presence channels are for watching.
    private static func present(
        _ channels: [String], _ groups: [String], _ state: PubNubApplication.State
    ) -> [(name: String, group: String?)] {
        var seen: Set<String> = []
        let named = channels.map { (name: $0, group: String?.none) }
        let grouped = groups.flatMap { group in state.groups.channels(of: group).map { (name: $0, group: String?.some(group)) } }
        return (named + grouped).filter { channel in
            !channel.name.hasSuffix(PubNubMessage.presenceSuffix) && seen.insert(channel.name).inserted
        }
    }

    private func occupant(_ request: PubNubServerRequest) throws(PubNubErrorBody) -> OccupancyUser {
        guard let user = request.user, !user.isEmpty else { throw .presence(400, "Invalid uuid parameter.") }
        return OccupancyUser(id: user, connection: request.parameter("instanceid") ?? "")
    }

    /// State by channel or group, from the parameter `state`.
    private func states(_ request: PubNubServerRequest) throws(PubNubErrorBody) -> [String: [UInt8]] {
        guard let text = request.parameter("state"), !text.isEmpty else { return [:] }
        guard let members = try? JSONText(text).members else { throw .presence(400, "Invalid JSON") }
        return Dictionary(
            members.filter { $0.value.kind == .object }.map { ($0.key, Array($0.value.text.utf8)) },
            uniquingKeysWith: { _, last in last })
    }
}

/// What a here-now request wants to know of each channel.
private struct HereNowRequest {
    /// The most users of a page, and as many when nothing else is asked for (wire sheet 4).
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

    func users(of channel: String, _ book: OccupancyBook) -> PresenceBodies.Users {
        PresenceBodies.Users(page: book.hereNow(channel, offset: offset, limit: limit), withState: withState)
    }

    /// Channels with nobody on them are left out.
    func occupied(_ channels: [String], _ book: OccupancyBook) -> [(name: String, users: PresenceBodies.Users)] {
        channels.filter { book.occupancy(of: $0) > 0 }.map { ($0, users(of: $0, book)) }
    }
}
