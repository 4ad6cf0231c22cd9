import ChatProtocol
import Identifiers
import NIOCore
import ServerRuntime
import ServerStorage
import WireCoding

// The console's pages and actions for chat (rules CO-92 to CO-94).
extension ChatService: ConsoleService {
    package func applicationRows() -> [ApplicationRow] {
        let connections = context.connections(of: .chat)
        return calls.servedApplications.map { settings, openChannels in
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

    /// The console's calls for applications whose requests this process decides.
    var calls: ChatConsole { ChatConsole(backend: backend, node: self, configured: settings.applications) }

    package func channelRows(_ listing: ConsoleListing) async throws -> ChannelRows { try await calls.channelRows(listing) }

    package func members(of channel: String, _ listing: ConsoleListing) async throws -> ChannelMembers {
        try await calls.members(of: channel, listing)
    }

    package func publish(_ message: ConsoleMessage) async throws(HTTPProblem) -> String { try await calls.publish(message) }

    package func endConnections(of user: String, in application: String?) async throws(HTTPProblem) -> String {
        try await calls.endConnections(of: user, in: application)
    }

    package func sentence(ofCode code: Int) -> String? {
        // Codes below 3000 are close codes of the WebSocket protocol.
        (1_000..<3_000).contains(code) ? "A client violated the WebSocket protocol." : ChatErrorCode(code).sentence
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

    /// Shows a message in the console's live feed. Another process has accepted the message, and participants of an open channel on this
    /// server receive it (rule CO-40).
    package func show(_ frame: ByteBuffer, in channel: Identifier, of key: String) {
        guard context.feed.isWatched, let message = ChatWire.message(in: frame) else { return }
        let text = String(decoding: message.content, as: UTF8.self)
        context.feed.tell(
            FeedEvent(
                .published, .chat, application: key, channel: channel.text, name: message.type, user: message.from,
                bytes: text.utf8.count, payload: text))
    }

    /// The webhook deliveries of applications that have or had a webhook; empty unless this server sends their events.
    package var webhookReports: [(application: String, receivers: [WebhookReport])] {
        guard backend.tellsWebhooks(self) else { return [] }
        return applications.compactMap { application in
            application.webhooks.counts.map {
                (application.key, [WebhookReport(url: application.settings.webhook, counts: $0)])
            }
        }
    }
}
