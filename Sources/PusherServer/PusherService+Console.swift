import Identifiers
import NIOCore
import NIOPosix
import PusherProtocol
import ServerRuntime
import ServerStorage
import WireCoding

// The data that the console shows of Pusher, and the actions of operators (rules CO-92 to CO-94).
extension PusherService: ConsoleService {
    package func applicationRows() -> [ApplicationRow] {
        let tallies = channelTallies
        return listedApplications.map { application in
            let tally = tallies.first { $0.application == application.id }?.tally
            var row = ApplicationRow(id: application.id, key: application.key)
            row.isEnabled = application.isEnabled
            row.counts = [
                .connections: connectionCount(of: application), .connectionsLimit: application.limits.connections,
                .channels: tally?.channels ?? 0, .subscriptions: tally?.subscriptions ?? 0, .members: tally?.members ?? 0,
            ]
            row.webhooks = application.webhooks.count
            if application.allowsClientEvents { row.traits.append("client events") }
            if application.announcesSubscriptionCounts { row.traits.append("subscription counts") }
            if application.allowsUserAuthentication { row.traits.append("user authentication") }
            if application.requiresTLS { row.traits.append("TLS only") }
            if !application.allowedOrigins.isEmpty {
                row.traits.append("origins: " + application.allowedOrigins.joined(separator: " "))
            }
            if application.previousSecret != nil { row.traits.append("two secrets") }
            return row
        }
    }

    /// All applications. If the registry cannot list them, only those that have had connections since the start of the server.
    private var listedApplications: [Application] {
        if let listed = settings.applications as? any ListedApplications { return listed.listed }
        return context.names.names.filter { $0.service == .pusher }
            .compactMap { settings.applications.application(id: $0.application.text) }
    }

    private func application(listed id: String?) throws(HTTPProblem) -> Application {
        guard let id, let application = settings.applications.application(id: id) else { throw .unknownApplication }
        return application
    }

    /// Returns the application for a call of the console. Throws when the application is disabled, as the HTTP API does for the same call.
    private func enabledApplication(_ id: String?) throws(HTTPProblem) -> Application {
        let application = try application(listed: id)
        guard application.isEnabled else { throw .disabledApplication }
        return application
    }

    package func channelRows(_ listing: ConsoleListing) async throws -> ChannelRows {
        let application = try application(listed: listing.application)
        let (isWanted, after, limit) = (listing.isWanted, listing.after, listing.limit)
        let isOfKind = try Self.selection(listing.kind)
        @Sendable func isNext(_ name: String) -> Bool { after.map { Identifier(name) > Identifier($0) } ?? true }
        // The search runs on a thread pool, because searching many channels takes longer than an event loop may be blocked.
        return try await NIOThreadPool.singleton.runIfActive { [channels] in
            var (found, total): ([ChannelRows.Row], Int) = ([], 0)
            channels.forEachOccupied(application: application.id, prefix: listing.prefix) { part in
                let wanted = part.filter { isWanted($0.name) && isOfKind($0.name) }
                total += wanted.count
                found += wanted.filter { isNext($0.name) }
                    .map { ChannelRows.Row($0.name, subscriptions: $0.subscriptions, users: $0.users) }
                if found.count > 4 * limit { found = Self.first(limit + 1, of: found) }
                return true
            }
            return ChannelRows(first: limit, of: Self.first(limit + 1, of: found), total: total)
        }
    }

    /// Returns the condition for channels of the kind by which the console filters its list. If the kind is nil or an empty text, every
    /// channel meets the condition (rule CO-97).
    private static func selection(_ kind: String?) throws(HTTPProblem) -> @Sendable (String) -> Bool {
        let access: PusherChannelKind.Access
        switch kind ?? "" {
        case "": return { _ in true }
        case "cache": return { PusherChannelKind(of: $0).isCache }
        case "public": access = .normal
        case "private": access = .private
        case "presence": access = .presence
        case "encrypted": access = .encrypted
        default: throw HTTPProblem(400, "kind is public, private, presence, encrypted or cache.")
        }
        return { PusherChannelKind(of: $0).access == access }
    }

    private static func first(_ count: Int, of channels: [ChannelRows.Row]) -> [ChannelRows.Row] {
        Array(channels.sorted { Identifier($0.name) < Identifier($1.name) }.prefix(count))
    }

    package func members(of channel: String, _ listing: ConsoleListing) async throws -> ChannelMembers {
        let application = try enabledApplication(listing.application)
        try PublishRequest.check(channel: channel, limits: application.limits)
        let isPresence = PusherChannelKind(of: channel).access == .presence
        let id = ChannelID(application: application.id, name: channel)
        let users = isPresence ? channels.members(of: id).map(\.userID) : []
        return ChannelMembers(
            isOccupied: channels.occupancy(of: id) != nil, hasMembers: isPresence, users: users, count: users.count)
    }

    package func publish(_ message: ConsoleMessage) async throws(HTTPProblem) -> String {
        let application = try enabledApplication(message.application)
        let event = try ConsoleMessage.needed(message.event, "event")
        let request = try PublishRequest(
            event: event, data: message.data, channel: message.channel, limits: application.limits)
        _ = try RESTService(service: self).publish(request, application)
        return "The event was published."
    }

    package func endConnections(of user: String, in application: String?) async throws(HTTPProblem) -> String {
        let application = try enabledApplication(application)
        _ = try RESTService(service: self).terminate(user, application)
        return "The user's connections are being ended, on all servers."
    }

    package func webhookRows() -> [(application: String, receivers: [WebhookReport])] {
        let told = webhookReports
        return listedApplications.filter { !$0.webhooks.isEmpty }.map { application in
            // An application gets receivers without counts if it has sent no webhook event yet, or if another server of the cluster sends
            // its events.
            let untold = application.webhooks.enumerated().map { WebhookReport(number: $0, url: $1.url, counts: .init()) }
            return (application.id, told.first { $0.application == application.id }?.receivers ?? untold)
        }
    }

    /// The delivery counts of all applications that have or had a webhook.
    package var webhookReports: [(application: String, receivers: [WebhookReport])] {
        allWebhookReports.map { ($0.key.text, $0.value) }
    }

    package func reports(on loop: Int, from start: Int, count: Int) -> (reports: [ConnectionReport], next: Int?) {
        guard let list = mailboxes.element(at: loop)?.part.list.all else { return ([], nil) }
        let end = start.clampedAdding(count)
        return (list.clamped(from: start, to: end).map(\.consoleReport), end < list.count ? end : nil)
    }
}

extension PusherWire {
    /// The JSON message inside a frame for subscribers.
    fileprivate static func envelope(in frame: ByteBuffer) -> JSONText? { value(of: Array(frame.messageOfServerFrame)) }

    /// Parses a message for clients. Nil if it is not JSON, which does not happen for messages of this server.
    static func value(of message: [UInt8]) -> JSONText? {
        do {
            return try JSONText(bytes: message)
        } catch {
            return nil
        }
    }
}

extension PusherService {
    /// Shows an event in the console's live feed when it is delivered to this server's subscribers, even if another server has received it
    /// from its publisher (rule CO-40).
    func show(_ frame: ByteBuffer, in channel: ChannelID) {
        guard context.feed.isWatched, let event = PusherWire.envelope(in: frame), let name = event["event"]?.string,
            // Messages of the service itself, such as the joining of members, are not shown.
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

    /// The numbers of channels, subscriptions and members of each application.
    package var channelTallies: [(application: String, tally: ChannelTally)] {
        // Adds the counts of all shards.
        var sums: [Identifier: ChannelTally] = [:]
        for (id, tally) in channels.tallies { sums[Identifier(id), default: ChannelTally()] += tally }
        return sums.map { ($0.key.text, $0.value) }
    }

    /// The number of events that this server has accepted since its start.
    package var publishedCount: Int {
        allEventCounts.values.reduce(0) { $0 + $1.published }
    }
}
