import Identifiers
import NIOCore
import NIOPosix
import RealtimeHub
import ServerRuntime
import ServerValues

// Queries of the server console.
extension PubNubService {
    /// The served keysets, each with its numbers of occupied channels and of present users.
    package var keysetReports: [(keyset: Keyset, channels: Int, users: Int)] {
        applications.filter { application(subscribeKey: $0.subscribeKey) === $0 }.map { application in
            let (channels, stays) = application.withState { ($0.occupancy.channelCount, $0.occupancy.stayCount) }
            return (application.keyset, channels, stays)
        }
    }

    /// The keysets that have or had a webhook for push notifications, as far as this server sends their events.
    package var webhookReports: [(application: String, receivers: [WebhookReport])] {
        streams.pushCounts(for: self).map {
            ($0.application.subscribeKey, [WebhookReport(url: $0.application.keyset.pushWebhook, counts: $0.counts)])
        }
    }

    /// The occupied channels in order of their names: one more than `limit` when there are more.
    ///
    /// - Parameter isWanted: which names to list.
    /// - Returns: the channels behind a given name, and the number of all matching channels.
    package func listChannels(
        of subscribeKey: String, after: String?, limit: Int, where isWanted: @escaping @Sendable (String) -> Bool
    ) async throws -> (channels: [(name: String, users: Int)], total: Int) {
        guard let application = application(subscribeKey: subscribeKey) else { return ([], 0) }
        return try await NIOThreadPool.singleton.runIfActive {
            // Sorted after the lock is released.
            let names = application.withState { $0.occupancy.unsortedChannels }.filter { isWanted($0.text) }
            let shown = names.filter { name in after.map { name > Identifier($0) } ?? true }.sorted().prefix(limit + 1)
            let channels = application.withState { state in shown.map { ($0.text, state.occupancy.occupancy(of: $0)) } }
            return (channels, names.count)
        }
    }

    /// A user who is present on at least one channel.
    package struct PresentUser: Hashable, Sendable {
        package var id: String
        /// Some of the user's channels, sorted by name.
        package var channels: [String]
        package var channelCount: Int
    }

    /// Present users in order of their ids: one more than `limit` when there are more, each with up to five channels.
    ///
    /// - Parameter isWanted: which ids to list.
    /// - Returns: the users behind a given id, and the number of all matching users.
    package func listUsers(
        of subscribeKey: String, after: String?, limit: Int, where isWanted: @escaping @Sendable (String) -> Bool
    ) async throws -> (users: [PresentUser], total: Int) {
        guard let application = application(subscribeKey: subscribeKey) else { return ([], 0) }
        return try await NIOThreadPool.singleton.runIfActive {
            let ids = application.withState { $0.occupancy.unsortedUsers }.filter { isWanted($0.text) }
            let shown = ids.filter { id in after.map { id > Identifier($0) } ?? true }.sorted().prefix(limit + 1)
            let channels = application.withState { state in shown.map { state.occupancy.unsortedChannels(of: $0) } }
            let users = zip(shown, channels).map { id, channels in
                PresentUser(id: id.text, channels: channels.sorted().prefix(5).map(\.text), channelCount: channels.count)
            }
            return (users, ids.count)
        }
    }

    /// Up to 1000 users of a channel, and the number of all its users.
    package func members(of channel: String, _ subscribeKey: String) -> (users: [String], count: Int) {
        guard let application = application(subscribeKey: subscribeKey) else { return ([], 0) }
        let name = Identifier(channel)
        return application.withState { state in
            (state.occupancy.hereNow(name).occupants.map { $0.user.text }, state.occupancy.occupancy(of: name))
        }
    }

    /// A poll that is held.
    package struct PollReport: Hashable, Sendable {
        package var id: String
        package var application: String
        package var user: String?
        package var address: String?
        package var channels: [String]
        package var channelCount: Int
        package var held: Duration
        package var hold: Duration
    }

    /// Up to `limit` polls that an event loop holds. Call it on that event loop.
    package func pollReports(on loop: Int, limit: Int) -> [PollReport] {
        mailboxes[loop].part.polls.values.flatMap { $0.reports(limit: limit) }.prefix(limit).map { $0 }
    }
}

extension PubNubPolls {
    fileprivate func reports(limit: Int) -> [PubNubService.PollReport] {
        let now = loop.now
        var found: [PubNubService.PollReport] = []
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
                PubNubService.PollReport(
                    id: connection.name, application: application.subscribeKey, user: poll.user?.id.text,
                    address: connection.remoteAddress?.ipAddress, channels: Array(names.prefix(5)), channelCount: names.count,
                    held: connection.elapsed(at: now), hold: hold))
        }
        return found
    }
}
