import Identifiers
import NIOCore
import NIOHTTP1
import NIOPosix
import NexconnProtocol
import RealtimeHub
import ServerRuntime
import WireCoding

// Queries of the server console.
extension ChatService {
    /// The served applications with their numbers of open channels; without numbers when another process decides.
    package func applicationReports(_ configured: [ChatApplication]) -> [(settings: ChatApplication, openChannels: Int?)] {
        let known = applications.filter { $0.refusal != .unknownApplication }
        guard !known.isEmpty else { return configured.map { ($0, nil) } }
        return known.map { application in (application.settings, application.read { $0.openChannels().count }) }
    }

    /// Explains in a sentence the code with which a session was refused.
    package static func sentence(of code: Int) -> String {
        // Close codes of the WebSocket protocol.
        (1_000..<3_000).contains(code) ? "A client did not keep to the rules of WebSockets." : NexconnCode(code).sentence
    }

    /// An open channel or a group in a list of the console.
    package struct ListedChannel: Hashable, Sendable {
        package var id: String
        /// The title; only groups have one.
        package var title: String?
        package var users: Int
    }

    /// Open channels by id. In a cluster the leader answers.
    ///
    /// - Parameter limit: 1 to 1,000.
    package func listOpenChannels(
        of application: ChatApplication, prefix: String = "", after: String?, limit: Int
    ) async throws(HTTPProblem) -> [ListedChannel] {
        let page: JSONValue = ["prefix": .string(prefix), "pageSize": .number(JSONNumber(limit))]
        let answer = try await ask("open-channel/list", page.with("pageToken", after.map { .string($0) }), of: application)
        return (answer["channels"]?.array ?? []).compactMap { channel in
            channel["channelId"]?.string.map { ListedChannel(id: $0, title: nil, users: channel["memberCount"]?.integer ?? 0) }
        }
    }

    /// Groups by id. In a cluster the leader answers.
    ///
    /// - Parameter limit: 1 to 100.
    package func listGroups(
        of application: ChatApplication, after: String?, limit: Int
    ) async throws(HTTPProblem) -> [ListedChannel] {
        let page: JSONValue = ["pageSize": .number(JSONNumber(limit))]
        let answer = try await ask("group-channel/list", page.with("pageToken", after.map { .string($0) }), of: application)
        return (answer["groups"]?.array ?? []).compactMap { group in
            group["groupId"]?.string.map {
                ListedChannel(id: $0, title: group["groupName"]?.string, users: group["memberCount"]?.integer ?? 0)
            }
        }
    }

    /// Up to 100 members of a group, and the number of all its members.
    package func members(
        ofGroup id: String, in application: ChatApplication
    ) async throws(HTTPProblem) -> (users: [String], count: Int) {
        let profiles = try await ask("group-channel/profile/list", ["groupIds": [.string(id)]], of: application)
        let answer = try await ask("group-channel/member/list", ["groupId": .string(id), "pageSize": 100], of: application)
        let users = (answer["members"]?.array ?? []).compactMap { $0["userId"]?.string }
        return (users, profiles["groups"]?.array?.first?["memberCount"]?.integer ?? users.count)
    }

    /// Answers a signed call of the server API, in the process that decides about the application.
    ///
    /// - Parameter path: the path behind `/v4/`.
    package func ask(_ path: String, _ body: JSONValue, of application: ChatApplication) async throws(HTTPProblem) -> JSONValue {
        let nonce = Hex.text((0..<16).map { _ in UInt8.random(in: .min ... .max) })
        let time = String(context.clock.unixTicks() / 10_000)
        let signature = NexconnServerSignature.sign(secret: application.secret.revealed, nonce: nonce, timestamp: time)
        let headers: HTTPHeaders = [
            "App-Key": application.key, "Nonce": nonce, "Timestamp": time, "Signature": signature,
            "Content-Type": "application/json",
        ]
        let request = HTTPRequest(
            method: "POST", target: try RequestTarget(parsing: "/v4/" + path), headers: headers, body: Array(body.text.utf8))
        let answer = await withCheckedContinuation { continuation in
            if let forwarder = backend.forwarder {
                forwarder.answer(request) { continuation.resume(returning: $0) }
            } else {
                NexconnAPI(backend: backend, node: self).answer(request) { continuation.resume(returning: $0) }
            }
        }
        let value = (try? JSONValue(parsing: answer.body)) ?? [:]
        guard answer.status < 300, value["code"]?.integer == 0 else {
            let sentence = value["errorMessage"]?.string ?? value["message"]?.string ?? value["msg"]?.string
            throw HTTPProblem(answer.status < 400 ? 400 : answer.status, sentence ?? "The call was refused.")
        }
        return value["result"] ?? [:]
    }

    /// Ends a user's sessions on all servers.
    ///
    /// - Returns: the number of ended sessions.
    package func endSessions(of user: String, in application: ChatApplication) async throws(HTTPProblem) -> Int {
        try await ask("user/session/end", ["userIds": [.string(user)]], of: application)["sessions"]?.integer ?? 0
    }

    /// Connections of an event loop, from a position in its list on. Call it on that event loop.
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
