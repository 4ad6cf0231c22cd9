import ConnectionEngine
import HTTPTransport
import Identifiers
import PubNubProtocol
import WireCoding

/// Requests the list of occupied channels from a server. Rule CL-107.
struct ChannelListRequest: Sendable {
    let api: ServerAPI
    let service: ServiceKind
    let prefix: String
    let wantsMembers: Bool

    /// The largest number of HTTP calls for `--members`, because Pusher's API needs one call for the members of each presence channel.
    static let mostMemberCalls = 500

    /// The channels in the order of their names.
    func rows() async throws(CommandFailure) -> [ListedChannel] {
        let rows =
            switch service {
            case .pusher: try await pusher()
            case .pubnub: try await pubnub()
            case .nexconn: try await groups()
            }
        return rows.filter { $0.name.hasBytePrefix(prefix) }
            .sorted { Array($0.name.utf8).lexicographicallyPrecedes(Array($1.name.utf8)) }
    }

    // MARK: Pusher

    private static let presence = "presence-"

    private func pusher() async throws(CommandFailure) -> [ListedChannel] {
        let filter = prefix.isEmpty ? [] : [("filter_by_prefix", prefix)]
        var rows: [[UInt8]: ListedChannel] = [:]
        // The request is repeated without the count if it is refused, because applications may be set up not to count subscriptions.
        let counted: HTTPCallAnswer
        do throws(ConnectionFailure) {
            counted = try await api.pusher("GET", "channels", parameters: filter + [("info", "subscription_count")])
        } catch {
            throw CommandFailure(error.reason)
        }
        let list = try await ServerAPI.json { () async throws(ConnectionFailure) in
            counted.status == 400 ? try await api.pusher("GET", "channels", parameters: filter) : counted
        }
        for member in try Self.channels(list) {
            rows[Array(member.key.utf8)] = ListedChannel(member.key, subscriptions: member.value["subscription_count"]?.integer)
        }
        guard prefix.hasBytePrefix(Self.presence) || Self.presence.hasBytePrefix(prefix) else { return Array(rows.values) }
        let part = prefix.hasBytePrefix(Self.presence) ? prefix : Self.presence
        let users = try await ServerAPI.json { () async throws(ConnectionFailure) in
            try await api.pusher("GET", "channels", parameters: [("filter_by_prefix", part), ("info", "user_count")])
        }
        for member in try Self.channels(users) {
            rows[Array(member.key.utf8), default: ListedChannel(member.key)].users = member.value["user_count"]?.integer
        }
        if wantsMembers { try await addMembers(&rows) }
        return Array(rows.values)
    }

    private func addMembers(_ rows: inout [[UInt8]: ListedChannel]) async throws(CommandFailure) {
        let channels = rows.filter { $0.value.name.hasBytePrefix(Self.presence) }
        guard channels.count <= Self.mostMemberCalls else {
            throw CommandFailure(
                "\(channels.count) presence channels are occupied. --members makes an HTTP request for each presence "
                    + "channel, for at most \(Self.mostMemberCalls) channels: select fewer with --prefix.", .usage)
        }
        for (key, row) in channels {
            let answer = try await ServerAPI.json { () async throws(ConnectionFailure) in
                // A channel name needs no encoding in a path, because it has only characters that paths may contain.
                try await api.pusher("GET", "channels/\(row.name)/users")
            }
            rows[key]?.members = (answer["users"]?.elements ?? []).compactMap { $0["id"]?.identifier }.sorted()
        }
    }

    private static func channels(_ json: JSONText) throws(CommandFailure) -> [JSONText.Member] {
        guard let members = json["channels"]?.members else {
            // PubNub's own service answers with an empty list when there are no channels.
            if json["channels"]?.elements?.isEmpty == true { return [] }
            throw CommandFailure("The server's answer has no list of channels. Check that --url names a Pusher server.")
        }
        return members
    }

    // MARK: PubNub

    private func pubnub() async throws(CommandFailure) -> [ListedChannel] {
        let request = PubNubRequest(
            path: ["v2", "presence", "sub-key", PercentEncoding.encode(api.credentials.key)],
            parameters: [.init("disable_uuids", wantsMembers ? "0" : "1"), .init("state", "0")])
        let answer = try await ServerAPI.json { () async throws(ConnectionFailure) in try await api.pubnub(request) }
        guard let channels = answer["payload"]?["channels"]?.members else {
            throw CommandFailure("The server's answer has no list of channels. Check that --url names a PubNub server.")
        }
        if let total = answer["payload"]?["total_channels"]?.integer, total > channels.count {
            StandardError.print("note: the server lists \(channels.count) of \(total) channels.")
        }
        return channels.map { member in
            let members = member.value["uuids"]?.elements?.compactMap { $0.string ?? $0["uuid"]?.string }
            return ListedChannel(
                member.key, users: member.value["occupancy"]?.integer, members: wantsMembers ? (members ?? []).sorted() : nil)
        }
    }

    // MARK: Chat

    /// Lists group channels only, because the server API has no call that lists open channels.
    private func groups() async throws(CommandFailure) -> [ListedChannel] {
        var rows: [ListedChannel] = []
        var page: String?
        repeat {
            var body: JSONValue = ["pageSize": .number(JSONNumber(100))]
            if let page { body = ["pageSize": .number(JSONNumber(100)), "pageToken": .string(page)] }
            let request = body
            let answer = try await ServerAPI.json { () async throws(ConnectionFailure) in
                try await api.chat("group-channel/list", request)
            }
            for group in answer["result"]?["groups"]?.elements ?? [] {
                guard let id = group["groupId"]?.string else { continue }
                rows.append(ListedChannel("group:\(id)", users: group["memberCount"]?.integer))
            }
            page = answer["result"]?["nextPageToken"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        } while page != nil
        return rows
    }
}
