import ChatServer
import PubNubServer
import PusherServer
import ServerConsole
import ServerRuntime
import WireCoding

// Channels and groups with their members (rules CO-85 and CO-86).
extension ServerConsoleSource {
    static let unknownService = HTTPProblem(400, "service is pusher, pubnub or chat.")

    func channels(_ parameters: ConsoleParameters) async throws -> JSONValue {
        let (prefix, after, limit) = (parameters.prefix, parameters.after, parameters.limit)
        let search = NameSearch(parameters.contains)
        let isWanted: @Sendable (String) -> Bool = { $0.utf8.starts(with: prefix.utf8) && search.takes($0) }
        switch parameters.service {
        case "pusher":
            let (found, total) = try await services.pusher.listChannels(
                of: try pusherApplication(parameters.application), prefix: prefix, after: after, limit: limit, where: isWanted)
            let list: [JSONValue] = found.prefix(limit).map { channel in
                [
                    "name": .string(channel.name), "subscriptions": channel.subscriptions.map { .count($0) } ?? .null,
                    "users": channel.users.map { .count($0) } ?? .null,
                ]
            }
            return Self.list(list, total, next: found.count > limit ? found.prefix(limit).last?.name : nil)
        case "pubnub":
            let (found, total) = try await services.pubnub.listChannels(
                of: parameters.application ?? "", after: after, limit: limit, where: isWanted)
            let list: [JSONValue] = found.prefix(limit).map {
                ["name": .string($0.name), "subscriptions": .null, "users": .count($0.users)]
            }
            return Self.list(list, total, next: found.count > limit ? found.prefix(limit).last?.name : nil)
        case "chat": return try await chatChannels(parameters, search)
        default: throw Self.unknownService
        }
    }

    private static func list(_ channels: [JSONValue], _ total: Int?, next: String?) -> JSONValue {
        ["channels": .array(channels), "total": total.map { .count($0) } ?? .null, "next": .optional(next)]
    }

    /// Open channels or groups, read page by page; in a cluster the leader answers.
    private func chatChannels(_ parameters: ConsoleParameters, _ search: NameSearch) async throws(HTTPProblem) -> JSONValue {
        let application = try chatApplication(parameters.application)
        let (found, next): ([ChatService.ListedChannel], String?)
        switch parameters.kind ?? "open" {
        case "open":
            let pages = PagedSearch<ChatService.ListedChannel>(search, pageSize: 1_000) { $0.id }
            (found, next) = try await pages.entries(after: parameters.after, limit: parameters.limit) {
                [services] (after) async throws(HTTPProblem) in
                try await services.chat.listOpenChannels(of: application, prefix: parameters.prefix, after: after, limit: 1_000)
            }
        case "group":
            let pages = PagedSearch<ChatService.ListedChannel>(search, pageSize: 100) { $0.id }
            (found, next) = try await pages.entries(after: parameters.after, limit: parameters.limit) {
                [services] (after) async throws(HTTPProblem) in
                try await services.chat.listGroups(of: application, after: after, limit: 100)
            }
        default: throw Self.unknownKind
        }
        let list: [JSONValue] = found.map {
            ["name": .string($0.id), "title": .optional($0.title), "subscriptions": .null, "users": .count($0.users)]
        }
        return Self.list(list, parameters.after == nil && next == nil ? found.count : nil, next: next)
    }

    static let unknownKind = HTTPProblem(400, "kind is open or group.")

    /// Users of a keyset who are present on at least one channel.
    func presentUsers(_ parameters: ConsoleParameters) async throws -> JSONValue {
        let (search, prefix, limit) = (NameSearch(parameters.contains), parameters.prefix, parameters.limit)
        let (found, total) = try await services.pubnub.listUsers(
            of: parameters.application ?? "", after: parameters.after, limit: limit
        ) { $0.utf8.starts(with: prefix.utf8) && search.takes($0) }
        return [
            "users": .array(
                found.prefix(limit).map { user in
                    [
                        "service": "pubnub", "app": .string(parameters.application ?? ""), "user": .string(user.id),
                        "channels": .texts(user.channels), "channelCount": .count(user.channelCount),
                    ]
                }),
            "total": .count(total), "next": .optional(found.count > limit ? found.prefix(limit).last?.id : nil),
        ]
    }

    func channel(_ parameters: ConsoleParameters) async throws -> JSONValue {
        guard let name = parameters.channel, !name.isEmpty else { throw HTTPProblem(400, "channel is missing.") }
        switch parameters.service {
        case "pusher":
            let application = try pusherApplication(parameters.application)
            let known = try await services.pusher.ask("GET", ["channels", name], of: application)
            var members: [String] = []
            let isPresence = name.utf8.starts(with: "presence-".utf8)
            if isPresence {
                let users = try await services.pusher.ask("GET", ["channels", name, "users"], of: application)
                members = (users["users"]?.array ?? []).compactMap { $0["id"]?.string }
            }
            return [
                "occupied": known["occupied"] ?? false, "hasMembers": .bool(isPresence), "count": .count(members.count),
                "members": .texts(Array(members.prefix(ConsoleParameters.limits.upperBound))),
            ]
        case "pubnub":
            let (users, count) = services.pubnub.members(of: name, parameters.application ?? "")
            return [
                "occupied": .bool(count > 0), "hasMembers": true, "count": .count(count),
                "members": .texts(Array(users.prefix(ConsoleParameters.limits.upperBound))),
            ]
        case "chat":
            let application = try chatApplication(parameters.application)
            guard (parameters.kind ?? "open") != "group" else {
                let (users, count) = try await services.chat.members(ofGroup: name, in: application)
                return ["occupied": true, "hasMembers": true, "count": .count(count), "members": .texts(users)]
            }
            let answer = try await services.chat.ask(
                "open-channel/participant/list", ["channelId": .string(name), "pageSize": 500], of: application)
            return [
                "occupied": true, "hasMembers": true, "count": answer["memberCount"] ?? 0,
                "members": .texts((answer["members"]?.array ?? []).compactMap { $0["userId"]?.string }),
            ]
        default: throw Self.unknownService
        }
    }
}
