import Identifiers
import NIOCore
import NIOPosix
import PusherProtocol
import RealtimeHub
import ServerRuntime
import WireCoding

// Queries of the server console.
extension PusherService {
    /// A channel in a list of the console.
    package struct ListedChannel: Hashable, Sendable {
        package var name: String
        /// The number of subscriptions; nil when the queried server does not know it.
        package var subscriptions: Int?
        package var users: Int?
    }

    /// Occupied channels of an application in order of their names: one more than `limit` when there are more.
    ///
    /// - Parameters:
    ///   - after: the last name of the previous page.
    ///   - isWanted: whether to list the channel with a name.
    /// - Returns: the channels after the name `after`, and the number of all matching channels.
    package func listChannels(
        of application: Application, prefix: String, after: String?, limit: Int,
        where isWanted: @escaping @Sendable (String) -> Bool
    ) async throws -> (channels: [ListedChannel], total: Int) {
        @Sendable func isNext(_ name: String) -> Bool { after.map { Identifier(name) > Identifier($0) } ?? true }
        guard forwarder == nil else {
            let body = try await ask("GET", ["channels"], [("filter_by_prefix", prefix)], of: application)
            let names = (body["channels"]?.object.map { Array($0.keys) } ?? []).filter(isWanted)
            let channels = names.filter(isNext).sorted { Identifier($0) < Identifier($1) }.prefix(limit + 1)
                .map { ListedChannel(name: $0, subscriptions: nil, users: nil) }
            return (channels, names.count)
        }
        // Searching many channels takes longer than an event loop may be blocked.
        return try await NIOThreadPool.singleton.runIfActive { [channels] in
            var (found, total): ([ListedChannel], Int) = ([], 0)
            channels.forEachOccupied(application: application.id, prefix: prefix) { part in
                let wanted = part.filter { isWanted($0.name) }
                total += wanted.count
                found += wanted.filter { isNext($0.name) }
                    .map { ListedChannel(name: $0.name, subscriptions: $0.subscriptions, users: $0.users) }
                if found.count > 4 * limit { found = Self.first(limit + 1, of: found) }
                return true
            }
            return (Self.first(limit + 1, of: found), total)
        }
    }

    private static func first(_ count: Int, of channels: [ListedChannel]) -> [ListedChannel] {
        Array(channels.sorted { Identifier($0.name) < Identifier($1.name) }.prefix(count))
    }

    /// Answers a signed call of the HTTP API, in the process that decides about the application.
    ///
    /// - Parameter path: the path below that of the application, not percent-encoded.
    /// - Throws: ``HTTPProblem`` with the status and the error text of the API.
    package func ask(
        _ method: String, _ path: [String], _ parameters: [(name: String, value: String)] = [], body: [UInt8] = [],
        of application: Application
    ) async throws(HTTPProblem) -> JSONValue {
        let rawPath = (["apps", application.id] + path).map { "/" + PercentEncoding.encode($0) }.joined()
        let signed = PusherRequestSignature.signed(
            method: method, path: rawPath, parameters: parameters, body: body, key: application.key,
            secret: application.secret.revealed, timestamp: context.clock.unixSeconds())
        let query = signed.map { PercentEncoding.encode($0.name) + "=" + PercentEncoding.encode($0.value) }.joined(separator: "&")
        let request = HTTPRequest(
            method: method, target: try RequestTarget(parsing: rawPath + "?" + query), headers: [:], body: body)
        let answer = await withCheckedContinuation { continuation in
            if let forwarder {
                forwarder(request) { continuation.resume(returning: $0) }
            } else if let eventLoop = context.loops.first?.eventLoop {
                self.answer(forwarded: request, on: eventLoop) { continuation.resume(returning: $0) }
            } else {
                continuation.resume(returning: HTTPAnswer(HTTPProblem(503, "The server is shutting down.")))
            }
        }
        guard answer.status < 300 else {
            let sentence = String(decoding: answer.body.prefix(1_024), as: UTF8.self).split(separator: "\n").first
            throw HTTPProblem(answer.status, sentence.map(String.init) ?? "The call was refused.")
        }
        return (try? JSONValue(parsing: answer.body)) ?? [:]
    }

    /// The applications that have or had a webhook.
    package var webhookReports: [(application: String, receivers: [WebhookReport])] {
        allWebhookReports.map { ($0.key.text, $0.value) }
    }

    /// Connections of an event loop, from a position in its list on. Call it on that event loop.
    ///
    /// - Returns: the connections' descriptions, and the position of the next page; nil for the last page.
    package func reports(on loop: Int, from start: Int, count: Int) -> (reports: [ConnectionReport], next: Int?) {
        guard let list = mailboxes.element(at: loop)?.part.list.all else { return ([], nil) }
        let end = start.clampedAdding(count)
        return (list.clamped(from: start, to: end).map(\.consoleReport), end < list.count ? end : nil)
    }
}

extension PusherWire {
    /// The event in a WebSocket frame for subscribers, as JSON text; nil when it is not JSON.
    fileprivate static func envelope(in frame: ByteBuffer) -> JSONText? {
        try? JSONText(bytes: Array(frame.messageOfServerFrame))
    }
}

extension PusherService {
    /// Shows in the console's feed a frame that is delivered to subscribers of this server, although another server received the event
    /// (rule CO-40).
    func show(_ frame: ByteBuffer, in channel: ChannelID) {
        guard context.feed.isWatched, let event = PusherWire.envelope(in: frame), let name = event["event"]?.string,
            // Events of the service itself, such as new members of presence channels, are excluded.
            !name.hasBytePrefix("pusher:"), !name.hasBytePrefix("pusher_internal:")
        else { return }
        let data = event["data"]?.string ?? event["data"]?.text
        context.feed.tell(
            FeedEvent(
                name.hasBytePrefix("client-") ? .client : .published, .pusher, application: channel.application,
                channel: channel.name, name: name, user: event["user_id"]?.string, bytes: data?.utf8.count, payload: data))
    }

    /// The number of connections of an application, including those of other servers if they are known.
    package func connectionCount(of application: Application) -> Int { channels.connections(of: application) }

    /// The counts of each application.
    package var channelTallies: [(application: String, tally: ChannelTally)] {
        // Adds up the counts of all parts of the hub.
        var sums: [Identifier: ChannelTally] = [:]
        for (id, tally) in channels.tallies { sums[Identifier(id), default: ChannelTally()] += tally }
        return sums.map { ($0.key.text, $0.value) }
    }

    /// The number of events that this server has accepted since its start.
    package var publishedCount: Int {
        eventCounts.withLockedValue { $0.values.reduce(0) { $0 + $1.published } }
    }
}
