import Identifiers
import NIOCore
import NIOPosix
import ServerRuntime
import ServerStorage
import ServerValues
import WireCoding

// The PubNub data that the console shows, and the actions that it offers to operators (rules CO-92 to CO-94).
extension PubNubService: ConsoleService {
    package func applicationRows() -> [ApplicationRow] {
        applications.filter { application(subscribeKey: $0.subscribeKey) === $0 }.map { application in
            let (channels, stays) = application.withState { ($0.occupancy.channelCount, $0.occupancy.stayCount) }
            let keyset = application.keyset
            var row = ApplicationRow(id: keyset.subscribeKey, key: keyset.publishKey)
            row.isEnabled = keyset.isEnabled
            row.counts = [.channels: channels, .members: stays]
            row.webhooks = keyset.pushWebhook == nil ? 0 : 1
            row.traits = [keyset.requiresGrants ? "access manager" : "open to all"]
            if keyset.previousSecretKey != nil { row.traits.append("two secrets") }
            return row
        }
    }

    package var hasConnections: Bool { false }
    package func reports(on loop: Int, from start: Int, count: Int) -> (reports: [ConnectionReport], next: Int?) { ([], nil) }

    /// The reports of push webhooks, for keysets that have or had a webhook. Only the server that sends the webhooks has these reports.
    package var webhookReports: [(application: String, receivers: [WebhookReport])] {
        streams.pushCounts(for: self).map {
            ($0.application.subscribeKey, [WebhookReport(url: $0.application.keyset.pushWebhook, counts: $0.counts)])
        }
    }

    package func channelRows(_ listing: ConsoleListing) async throws -> ChannelRows {
        guard let application = application(subscribeKey: listing.application ?? "") else {
            return ChannelRows([], total: 0, next: nil)
        }
        let (isWanted, after, limit) = (listing.isWanted, listing.after, listing.limit)
        return try await NIOThreadPool.singleton.runIfActive {
            // The names are sorted after the lock is released, because sorting takes long.
            let names = application.withState { $0.occupancy.unsortedChannels }.filter { isWanted($0.text) }
            let shown = names.filter { name in after.map { name > Identifier($0) } ?? true }.sorted().prefix(limit + 1)
            let rows = application.withState { state in
                shown.map { ChannelRows.Row($0.text, users: state.occupancy.occupancy(of: $0)) }
            }
            return ChannelRows(first: limit, of: rows, total: names.count)
        }
    }

    /// Users who are present on at least one channel, each with up to five channels.
    package func userRows(_ listing: ConsoleListing) async throws -> UserRows? {
        guard let application = application(subscribeKey: listing.application ?? "") else {
            return UserRows(first: listing.limit, of: [], total: 0)
        }
        let (isWanted, after, limit) = (listing.isWanted, listing.after, listing.limit)
        return try await NIOThreadPool.singleton.runIfActive {
            let ids = application.withState { $0.occupancy.unsortedUsers }.filter { isWanted($0.text) }
            let shown = ids.filter { id in after.map { id > Identifier($0) } ?? true }.sorted().prefix(limit + 1)
            let channels = application.withState { state in shown.map { state.occupancy.unsortedChannels(of: $0) } }
            let rows = zip(shown, channels).map { id, channels in
                UserRows.Row(id.text, channels: channels.sorted().prefix(5).map(\.text), channelCount: channels.count)
            }
            return UserRows(first: limit, of: rows, total: ids.count)
        }
    }

    package func members(of channel: String, _ listing: ConsoleListing) async throws -> ChannelMembers {
        guard let application = application(subscribeKey: listing.application ?? "") else {
            return ChannelMembers(isOccupied: false, users: [], count: 0)
        }
        let name = Identifier(channel)
        return application.withState { state in
            let count = state.occupancy.occupancy(of: name)
            let users = state.occupancy.hereNow(name).occupants.map { $0.user.text }
            return ChannelMembers(isOccupied: count > 0, users: users, count: count)
        }
    }

    package func heldRows(on loop: Int, limit: Int) -> [HeldRow] {
        mailboxes.element(at: loop)?.part.polls.values.flatMap { $0.rows(limit: limit) }.prefix(limit).map { $0 } ?? []
    }

    package func publish(_ message: ConsoleMessage) async throws(HTTPProblem) -> String {
        // A message that is not JSON is published as a JSON string.
        let text = (try? JSONText(message.data))?.text ?? JSONWriter.string(message.data)
        do throws(PubNubPublishProblem) {
            let token = try await publish(
                subscribeKey: message.application ?? "", channel: message.channel, message: text, metadata: nil, user: "console")
            return "The message was published, with the timetoken \(token)."
        } catch {
            switch error {
            case .unknownKeyset: throw .unknownApplication
            case .invalid(let reason): throw HTTPProblem(400, reason)
            case .notStored:
                throw HTTPProblem(503, "The store could not save the message, so it was not published. Try again later.")
            }
        }
    }

    package var endingObstacle: String? { "polls of PubNub have no sessions to end" }

    package func endConnections(of user: String, in application: String?) async throws(HTTPProblem) -> String {
        throw HTTPProblem(400, "PubNub clients poll and have no sessions, so there is no session to end.")
    }
}

extension PubNubPolls {
    fileprivate func rows(limit: Int) -> [HeldRow] {
        let now = loop.now
        var found: [HeldRow] = []
        var seen: Set<ObjectIdentifier> = []
        for poll in heldPolls {
            guard found.count < limit else { break }
            guard seen.insert(ObjectIdentifier(poll)).inserted, let connection = poll.connection, let sources = poll.sources
            else {
                continue
            }
            let names =
                sources.channels.map(\.text) + sources.groups.map { $0.text + " (group)" } + sources.patterns.map(\.pattern.text)
            found.append(
                HeldRow(
                    id: connection.name, application: application.subscribeKey, user: poll.user?.id.text,
                    address: connection.remoteAddress?.ipAddress, channels: Array(names.prefix(5)), channelCount: names.count,
                    held: connection.elapsed(at: now), hold: hold))
        }
        return found
    }
}
