import Identifiers
import NIOCore
import NIOHTTP1
import NexconnProtocol
import OrderedCollections
import ServerRuntime
import ServerStorage
import WireCoding

// What the console shows of chat, and what an operator can do (rules CO-92 to CO-94).
extension ChatService: ConsoleService {
    package func applicationRows() -> [ApplicationRow] {
        let connections = context.connections(of: .chat)
        return servedApplications.map { settings, openChannels in
            var row = ApplicationRow(id: settings.key, key: settings.key)
            row.isEnabled = settings.isEnabled
            row.counts = [
                .connections: connections[ApplicationName(.chat, settings.key)] ?? 0, .channels: openChannels,
            ]
            row.webhooks = settings.webhook == nil ? 0 : 1
            if settings.hasPresence { row.traits.append("presence") }
            if settings.syncsDevices { row.traits.append("devices in step") }
            if settings.previousSecret != nil { row.traits.append("two secrets") }
            return row
        }
    }

    /// The served applications with their numbers of open channels; without numbers when another process decides.
    private var servedApplications: [(settings: ChatApplication, openChannels: Int?)] {
        let known = applications.filter { $0.refusal != .unknownApplication }
        guard !known.isEmpty else { return settings.applications.map { ($0, nil) } }
        return known.map { application in (application.settings, application.read { $0.openChannels().count }) }
    }

    /// The current configuration of an application.
    private func application(listed key: String?) throws(HTTPProblem) -> ChatApplication {
        guard let key, let served = servedApplications.first(where: { $0.settings.key.utf8.elementsEqual(key.utf8) })?.settings
        else { throw .unknownApplication }
        return served
    }

    /// Reads the state of an application that this process decides about, with the errors of the server API.
    private func read<Value>(_ settings: ChatApplication, _ body: (ChatState) throws -> Value) throws(HTTPProblem) -> Value {
        do {
            return try decided(settings).read(body)
        } catch {
            throw HTTPProblem(NexconnAPIProblem(error))
        }
    }

    /// An application that this process decides about.
    private func decided(_ settings: ChatApplication) throws -> NexconnApplication {
        guard let application = application(key: settings.key) else { throw NexconnAPIProblem.unknownApplication }
        if application.refusal != nil { throw NexconnAPIProblem.disabledApplication }
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
                ? try await groupRows(of: application, after: after, limit: 100)
                : try await openRows(of: application, prefix: listing.prefix, after: after, limit: 1_000)
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

    /// Open channels by id. In a cluster the leader answers.
    private func openRows(
        of settings: ChatApplication, prefix: String, after: String?, limit: Int
    ) async throws(HTTPProblem) -> [ChannelRows.Row] {
        guard backend.forwarder != nil else {
            return try read(settings) { state in
                state.openChannels(prefix: prefix, after: after.map { Identifier($0) }, limit: limit)
                    .map { ChannelRows.Row($0.text, users: state.participantCount(of: $0)) }
            }
        }
        let page: JSONValue = ["prefix": .string(prefix), "pageSize": .whole(limit)]
        let answer = try await ask("open-channel/list", page.with("pageToken", after.map { .string($0) }), of: settings)
        return (answer["channels"]?.array ?? []).compactMap { channel in
            channel["channelId"]?.string.map { ChannelRows.Row($0, users: channel["memberCount"]?.integer ?? 0) }
        }
    }

    /// Groups by id. In a cluster the leader answers.
    private func groupRows(
        of settings: ChatApplication, after: String?, limit: Int
    ) async throws(HTTPProblem) -> [ChannelRows.Row] {
        guard backend.forwarder != nil else {
            return try read(settings) { state in
                state.groupPage(after: after.map { Identifier($0) }, limit: limit).groups
                    .map { ChannelRows.Row($0.group.id.text, title: $0.group.name, users: $0.memberCount) }
            }
        }
        let page: JSONValue = ["pageSize": .whole(limit)]
        let answer = try await ask("group-channel/list", page.with("pageToken", after.map { .string($0) }), of: settings)
        return (answer["groups"]?.array ?? []).compactMap { group in
            group["groupId"]?.string.map {
                ChannelRows.Row($0, title: group["groupName"]?.string, users: group["memberCount"]?.integer ?? 0)
            }
        }
    }

    package func members(of channel: String, _ listing: ConsoleListing) async throws -> ChannelMembers {
        let application = try application(listed: listing.application)
        guard try Self.isGroup(listing.kind) else { return try await participants(of: channel, in: application) }
        guard backend.forwarder != nil else {
            return try read(application) { state in
                let id = Identifier(channel)
                let users = try state.groupMembers(of: id, limit: 100, by: .server()).members.map(\.user.text)
                return ChannelMembers(isOccupied: true, users: users, count: state.group(id)?.memberCount ?? users.count)
            }
        }
        let profiles = try await ask("group-channel/profile/list", ["groupIds": [.string(channel)]], of: application)
        let answer = try await ask("group-channel/member/list", ["groupId": .string(channel), "pageSize": 100], of: application)
        let users = (answer["members"]?.array ?? []).compactMap { $0["userId"]?.string }
        return ChannelMembers(
            isOccupied: true, users: users, count: profiles["groups"]?.array?.first?["memberCount"]?.integer ?? users.count)
    }

    private func participants(of channel: String, in application: ChatApplication) async throws -> ChannelMembers {
        guard backend.forwarder != nil else {
            return try read(application) { state in
                let id = Identifier(channel)
                let users = try state.participants(of: id, limit: ChannelMembers.limit).map(\.user.text)
                return ChannelMembers(isOccupied: true, users: users, count: state.participantCount(of: id))
            }
        }
        let answer = try await ask(
            "open-channel/participant/list", ["channelId": .string(channel), "pageSize": .whole(ChannelMembers.limit)],
            of: application)
        let users = (answer["members"]?.array ?? []).compactMap { $0["userId"]?.string }
        return ChannelMembers(isOccupied: true, users: users, count: answer["memberCount"]?.integer ?? users.count)
    }

    package func sentence(ofCode code: Int) -> String? {
        // Close codes of the WebSocket protocol.
        (1_000..<3_000).contains(code) ? "A client did not keep to the rules of WebSockets." : NexconnCode(code).sentence
    }

    package func publish(_ message: ConsoleMessage) async throws(HTTPProblem) -> String {
        let application = try application(listed: message.application)
        let (route, receivers): (NexconnAPIRoute, String)
        switch message.kind ?? "open" {
        case "open": (route, receivers) = (.sendOpen, "toChannelIds")
        case "group": (route, receivers) = (.sendGroup, "toGroupIds")
        case "direct": (route, receivers) = (.sendDirect, "toUserIds")
        default: throw HTTPProblem(400, "kind is open, group or direct.")
        }
        // A plain text becomes the content of a text message; a JSON object is the content itself.
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

    /// Performs a call of the server API with its checks and limits. In a cluster it is forwarded to the leader; otherwise this process
    /// performs it, without HTTP and without a signature.
    func call(
        _ route: NexconnAPIRoute, _ fields: OrderedDictionary<String, JSONValue>, of settings: ChatApplication
    ) async throws(HTTPProblem) -> JSONValue {
        guard backend.forwarder == nil else { return try await ask(route.rawValue, .object(fields), of: settings) }
        let result: Result<JSONValue, NexconnAPIProblem> = await withCheckedContinuation { continuation in
            do {
                let application = try decided(settings)
                if !route.countsReceivers { try application.spend(.calls(route), named: "calls of this address") }
                let call = NexconnAPICall(
                    application: application, fields: NexconnAPIFields(fields),
                    answer: { continuation.resume(returning: $0) }, node: self)
                do {
                    try call.perform(route)
                } catch {
                    call.answer(.failure(NexconnAPIProblem(error)))
                }
            } catch {
                continuation.resume(returning: .failure(NexconnAPIProblem(error)))
            }
        }
        switch result {
        case .success(let value): return value
        case .failure(let problem): throw HTTPProblem(problem)
        }
    }

    /// Answers a signed call of the server API in the leader's process: requests to the leader are forwarded calls of that API.
    ///
    /// - Parameter path: the path behind `/v4/`.
    private func ask(_ path: String, _ body: JSONValue, of application: ChatApplication) async throws(HTTPProblem) -> JSONValue {
        let nonce = Hex.text((0..<16).map { _ in UInt8.random(in: .min ... .max) })
        let time = String(context.clock.unixTicks() / 10_000)
        let signature = NexconnServerSignature.sign(secret: application.secret.revealed, nonce: nonce, timestamp: time)
        let headers: HTTPHeaders = [
            "App-Key": application.key, "Nonce": nonce, "Timestamp": time, "Signature": signature,
            "Content-Type": "application/json",
        ]
        let request = HTTPRequest(
            method: "POST", target: try RequestTarget(parsing: "/v4/" + path), headers: headers, body: Array(body.text.utf8))
        guard let forwarder = backend.forwarder else { throw HTTPProblem(503, "The server is shutting down.") }
        let answer = await withCheckedContinuation { continuation in
            forwarder.answer(request) { continuation.resume(returning: $0) }
        }
        let value = (try? JSONValue(parsing: answer.body)) ?? [:]
        guard answer.status < 300, value["code"]?.integer == 0 else {
            let sentence = value["errorMessage"]?.string ?? value["message"]?.string ?? value["msg"]?.string
            throw HTTPProblem(answer.status < 400 ? 400 : answer.status, sentence ?? "The call was refused.")
        }
        return value["result"] ?? [:]
    }

    package func reports(on loop: Int, from start: Int, count: Int) -> (reports: [ConnectionReport], next: Int?) {
        guard let list = mailboxes.element(at: loop)?.part.list.all else { return ([], nil) }
        let end = start.clampedAdding(count)
        let reports = list.clamped(from: start, to: end).map { session in
            var report = session.report(name: session.peer?.session, user: session.peer?.user.text, channels: session.seats.count)
            if let key = session.application?.key { report.application = key }
            return report
        }
        return (reports, end < list.count ? end : nil)
    }

    /// Shows in the live feed a message that another process has accepted and that participants of an open channel on this server
    /// receive (rule CO-40).
    package func show(_ frame: ByteBuffer, in channel: Identifier, of key: String) {
        guard context.feed.isWatched, let message = NexconnWire.message(in: frame) else { return }
        let text = String(decoding: message.content, as: UTF8.self)
        context.feed.tell(
            FeedEvent(
                .published, .chat, application: key, channel: channel.text, name: message.type, user: message.from,
                bytes: text.utf8.count, payload: text))
    }

    /// The applications that have or had a webhook, as far as this server sends their events.
    package var webhookReports: [(application: String, receivers: [WebhookReport])] {
        guard backend.tellsWebhooks(self) else { return [] }
        return applications.compactMap { application in
            application.webhooks.counts.map {
                (application.key, [WebhookReport(url: application.settings.webhook, counts: $0)])
            }
        }
    }
}

extension HTTPProblem {
    /// A refusal of the server API, for the console.
    fileprivate init(_ problem: NexconnAPIProblem) { self.init(problem.status < 400 ? 400 : problem.status, problem.message) }
}
