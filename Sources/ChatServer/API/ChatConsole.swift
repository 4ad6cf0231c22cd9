import ChatProtocol
import Identifiers
import OrderedCollections
import ServerRuntime
import ServerStorage
import WireCoding

/// Performs the console's calls for the applications whose requests this process decides: as a single server, or as the leader of a
/// cluster.
struct ChatConsole: ConsoleCalls {
    let backend: any ChatStateBackend
    /// The server (node) whose metrics count messages sent from the console; nil if no server counts them.
    let node: (any ChatNode)?
    /// The configured applications. The console shows them when another server of the cluster decides the requests of all applications.
    let configured: [ChatApplication]

    /// The served applications with their numbers of open channels. The number is nil when another process decides the application's
    /// requests.
    var servedApplications: [(settings: ChatApplication, openChannels: Int?)] {
        let known = backend.applications.filter { $0.refusal != .unknownApplication }
        guard !known.isEmpty else { return configured.map { ($0, nil) } }
        return known.map { application in (application.settings, application.read { $0.openChannelCount }) }
    }

    /// The current configuration of the application with this key.
    private func application(listed key: String?) throws(HTTPProblem) -> ChatApplication {
        guard let key, let served = servedApplications.first(where: { $0.settings.key.utf8.elementsEqual(key.utf8) })?.settings
        else { throw .unknownApplication }
        return served
    }

    /// Reads the state of an application whose requests this process decides. The thrown errors are those of the server API.
    private func read<Value>(_ settings: ChatApplication, _ body: (ChatState) throws -> Value) throws(HTTPProblem) -> Value {
        do {
            return try decided(settings).read(body)
        } catch {
            throw HTTPProblem(ChatAPIProblem(error))
        }
    }

    /// The application with the key of `settings`. Throws when another process decides its requests, and when it is disabled.
    private func decided(_ settings: ChatApplication) throws -> ServedChatApplication {
        guard let application = backend.application(key: Identifier(settings.key)) else {
            throw ChatAPIProblem.unknownApplication
        }
        if application.refusal != nil { throw ChatAPIProblem.disabledApplication }
        return application
    }

    package func channelRows(_ listing: ConsoleListing) async throws -> ChannelRows {
        let application = try application(listed: listing.application)
        let search = NameSearch(listing.contains)
        let isGroups = try Self.isGroup(listing.kind)
        let pages = PagedSearch<ChannelRows.Row>(search, pageSize: isGroups ? 100 : 1_000) { $0.name }
        let (found, next) = try await pages.entries(after: listing.after, limit: listing.limit) {
            [self] after async throws(HTTPProblem) in
            isGroups
                ? try groupRows(of: application, after: after, limit: 100)
                : try openRows(of: application, prefix: listing.prefix, after: after, limit: 1_000)
        }
        return ChannelRows(found, total: listing.after == nil && next == nil ? found.count : nil, next: next)
    }

    private static func isGroup(_ kind: String?) throws(HTTPProblem) -> Bool {
        switch kind ?? "open" {
        case "open": return false
        case "group": return true
        default: throw HTTPProblem(400, "kind is open or group.")
        }
    }

    /// A page of open channels, sorted by id.
    private func openRows(
        of settings: ChatApplication, prefix: String, after: String?, limit: Int
    ) throws(HTTPProblem) -> [ChannelRows.Row] {
        try read(settings) { state in
            state.openChannels(prefix: prefix, after: after.map { Identifier($0) }, limit: limit)
                .map { ChannelRows.Row($0.text, users: state.participantCount(of: $0)) }
        }
    }

    /// Groups by id.
    private func groupRows(
        of settings: ChatApplication, after: String?, limit: Int
    ) throws(HTTPProblem) -> [ChannelRows.Row] {
        try read(settings) { state in
            state.groupPage(after: after.map { Identifier($0) }, limit: limit).groups
                .map { ChannelRows.Row($0.group.id.text, title: $0.group.name, users: $0.memberCount) }
        }
    }

    package func members(of channel: String, _ listing: ConsoleListing) async throws -> ChannelMembers {
        let application = try application(listed: listing.application)
        guard try Self.isGroup(listing.kind) else { return try participants(of: channel, in: application) }
        return try read(application) { state in
            let id = Identifier(channel)
            let users = try state.groupMembers(of: id, limit: 100, by: .server()).members.map(\.user.text)
            return ChannelMembers(isOccupied: true, users: users, count: state.group(id)?.memberCount ?? users.count)
        }
    }

    private func participants(of channel: String, in application: ChatApplication) throws -> ChannelMembers {
        try read(application) { state in
            let id = Identifier(channel)
            let users = try state.participants(of: id, limit: ChannelMembers.limit).map(\.user.text)
            return ChannelMembers(isOccupied: true, users: users, count: state.participantCount(of: id))
        }
    }

    package func publish(_ message: ConsoleMessage) async throws(HTTPProblem) -> String {
        let application = try application(listed: message.application)
        let (route, receivers): (ChatAPIRoute, String)
        switch message.kind ?? "open" {
        case "open": (route, receivers) = (.sendOpen, "toChannelIds")
        case "group": (route, receivers) = (.sendGroup, "toGroupIds")
        case "direct": (route, receivers) = (.sendDirect, "toUserIds")
        default: throw HTTPProblem(400, "kind is open, group or direct.")
        }
        // The content of the message: a JSON object is used as it is, and any other text becomes the content of a text message.
        let isObject = (try? JSONText(message.data))?.kind == .object
        let content = isObject ? message.data : JSONValue(dictionaryLiteral: ("content", .string(message.data))).text
        let sender = try ConsoleMessage.needed(message.user, "user", upTo: 64)
        let type = message.event.flatMap { $0.isEmpty ? nil : $0 } ?? "RC:TxtMsg"
        _ = try await call(
            route,
            [
                "fromUserId": .string(sender), receivers: [.string(message.channel)], "messageType": .string(type),
                "content": .string(content),
            ], of: application)
        return "The message was sent."
    }

    package func endConnections(of user: String, in application: String?) async throws(HTTPProblem) -> String {
        let application = try self.application(listed: application)
        let count = try await call(.endSessions, ["userIds": [.string(user)]], of: application)["sessions"]?.integer ?? 0
        return count == 1 ? "The user's session was ended." : "\(count) sessions of the user were ended."
    }

    /// Performs a call of the server API with its checks and limits, but without HTTP and without a signature.
    func call(
        _ route: ChatAPIRoute, _ fields: OrderedDictionary<String, JSONValue>, of settings: ChatApplication
    ) async throws(HTTPProblem) -> JSONValue {
        let result: Result<JSONValue, ChatAPIProblem> = await withCheckedContinuation { continuation in
            do {
                let application = try decided(settings)
                if !route.countsReceivers { try application.spend(.calls(route), named: "calls of this address") }
                let call = ChatAPICall(
                    application: application, fields: ChatAPIFields(fields),
                    answer: { continuation.resume(returning: $0) }, node: node)
                do {
                    try call.perform(route)
                } catch {
                    call.answer(.failure(ChatAPIProblem(error)))
                }
            } catch {
                continuation.resume(returning: .failure(ChatAPIProblem(error)))
            }
        }
        switch result {
        case .success(let value): return value
        case .failure(let problem): throw HTTPProblem(problem)
        }
    }
}

extension HTTPProblem {
    /// Converts a refusal of the server API to an error of the console.
    fileprivate init(_ problem: ChatAPIProblem) { self.init(problem.status < 400 ? 400 : problem.status, problem.message) }
}
