import ServerConsole
import ServerRuntime
import WireCoding

// Answers queries for channels and groups with their members (rules CO-85 and CO-86).
extension ServerConsoleSource {
    /// The console of the service with this name. Throws 400 for any other name.
    func service(_ name: String?) throws(HTTPProblem) -> any ConsoleService {
        guard let service = consoles.first(where: { $0.service.rawValue == name }) else {
            throw HTTPProblem(400, Self.oneOf(consoles) + ".")
        }
        return service
    }

    /// The beginning of an error text, such as `service is pusher, pubnub or chat`.
    static func oneOf(_ services: [any ConsoleService]) -> String {
        let names = services.map(\.service.rawValue)
        let first = names.dropLast().joined(separator: ", ")
        return "service is " + [first, names.last ?? ""].filter { !$0.isEmpty }.joined(separator: " or ")
    }

    func channels(_ parameters: ConsoleParameters) async throws -> JSONValue {
        let page = try await service(parameters.service).channelRows(ConsoleListing(parameters))
        let rows: [JSONValue] = page.rows.map { channel in
            var row: JSONValue = [
                "name": .string(channel.name), "subscriptions": .optional(channel.subscriptions),
                "users": .optional(channel.users),
            ]
            if let title = channel.title { row.add("title", .string(title)) }
            return row
        }
        return ["channels": .array(rows), "total": .optional(page.total), "next": .optional(page.next)]
    }

    func channel(_ parameters: ConsoleParameters) async throws -> JSONValue {
        guard let name = parameters.channel, !name.isEmpty else { throw HTTPProblem(400, "channel is missing.") }
        let members = try await service(parameters.service).members(of: name, ConsoleListing(parameters))
        return [
            "occupied": .bool(members.isOccupied), "hasMembers": .bool(members.hasMembers), "count": .count(members.count),
            "members": .texts(members.users),
        ]
    }

    /// The users that the service in `parameters` stores independently of connections. Nil for a service whose only users are those of open
    /// connections.
    func knownUsers(_ parameters: ConsoleParameters) async throws -> JSONValue? {
        guard let service = consoles.first(where: { $0.service.rawValue == parameters.service }),
            let page = try await service.userRows(ConsoleListing(parameters))
        else { return nil }
        let rows: [JSONValue] = page.rows.map { user in
            [
                "service": .string(service.service.rawValue), "app": .string(parameters.application ?? ""),
                "user": .string(user.user), "channels": .texts(user.channels), "channelCount": .count(user.channelCount),
            ]
        }
        return ["users": .array(rows), "total": .count(page.total), "next": .optional(page.next)]
    }
}

extension ConsoleListing {
    fileprivate init(_ parameters: ConsoleParameters) {
        self.init()
        application = parameters.application
        kind = parameters.kind
        prefix = parameters.prefix
        contains = parameters.contains
        after = parameters.after
        limit = parameters.limit
    }
}
