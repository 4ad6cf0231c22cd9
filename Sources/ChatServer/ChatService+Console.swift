import Identifiers
import NIOCore
import NIOHTTP1
import NIOPosix
import NexconnProtocol
import RealtimeHub
import ServerRuntime
import WireCoding

// What the console of a server asks.
extension ChatService {
    /// The applications that are served, with what they have; without figures where another process decides.
    package func applicationReports(_ configured: [ChatApplication]) -> [(settings: ChatApplication, openChannels: Int?)] {
        let known = applications.filter { $0.refusal != .unknownApplication }
        guard !known.isEmpty else { return configured.map { ($0, nil) } }
        return known.map { application in (application.settings, application.read { $0.openChannels().count }) }
    }

    /// Open channels by name, one more than `limit` when there are more; nil where another process decides.
    package func listOpenChannels(
        of key: String, prefix: String, after: String?, limit: Int
    ) async throws -> [(name: String, users: Int)]? {
        guard backend.forwarder == nil, let application = application(key: key) else { return nil }
        return try await NIOThreadPool.singleton.runIfActive {
            let names = application.read { $0.openChannels() }
                .filter { name in name.text.utf8.starts(with: prefix.utf8) && after.map { name > Identifier($0) } ?? true }
                .prefix(limit + 1)
            return application.read { state in names.map { ($0.text, state.participantCount(of: $0)) } }
        }
    }

    /// Has a signed call of the server API answered, wherever that is decided.
    ///
    /// - Parameter path: what follows `/v4/`.
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

    /// Ends a user's sessions on this server.
    ///
    /// - Returns: how many.
    package func endSessions(of user: String, application key: String) async throws -> Int {
        var count = 0
        for mailbox in mailboxes {
            count += try await mailbox.queue.eventLoop.submit {
                let sessions = mailbox.part.list.all.filter { session in
                    session.application?.key.isExactly(key) == true && session.peer?.user == Identifier(user)
                }
                for session in sessions { session.close(.bye(.endedByOperator)) }
                return sessions.count
            }.get()
        }
        return count
    }

    /// Connections of an event loop from a place in its list on; to be called on that loop.
    package func reports(on loop: Int, from start: Int, count: Int) -> (reports: [ConnectionReport], next: Int?) {
        let list = mailboxes[loop].part.list.all
        let end = min(start + count, list.count)
        guard start < end else { return ([], nil) }
        let reports = list[start..<end].map { session in
            var report = session.report(name: session.peer?.session, user: session.peer?.user.text, channels: session.seats.count)
            if let key = session.application?.key { report.application = key }
            return report
        }
        return (reports, end < list.count ? end : nil)
    }

    /// The applications that have a webhook, or had one, as far as this server tells them.
    package var webhookReports: [(application: String, url: String?, counts: WebhookDelivery.Counts)] {
        guard backend.tellsWebhooks(self) else { return [] }
        return applications.compactMap { application in
            application.webhooks.counts.map { (application.key, application.settings.webhook, $0) }
        }
    }
}

extension NexconnBye {
    fileprivate static let endedByOperator = NexconnBye(code: .kicked, reason: "The server's operator has ended the session.")
}
