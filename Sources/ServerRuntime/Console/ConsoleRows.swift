import Identifiers

/// One row of the console's list of applications. It contains no secrets.
package struct ApplicationRow: Hashable, Sendable {
    /// The numbers that the console shows for an application.
    package enum Count: String, Hashable, Sendable, CaseIterable {
        case connections, connectionsLimit, channels, subscriptions, members
    }

    package var id: String
    /// The application's key, with which clients connect; its id for a service without keys.
    package var key: String
    package var isEnabled = true
    /// The counts of the application. A count that its service does not have is missing. A nil count is unknown on this server, or is a
    /// limit that is not set.
    package var counts: [Count: Int?] = [:]
    /// The number of configured webhooks.
    package var webhooks = 0
    /// Short texts about special settings of the application, a few words each.
    package var traits: [String] = []

    package init(id: String, key: String) {
        self.id = id
        self.key = key
    }
}

/// A page of the channels of an application.
package struct ChannelRows: Hashable, Sendable, Codable {
    package struct Row: Hashable, Sendable, Codable {
        package var name: String
        /// The title, for channels that have one.
        package var title: String?
        /// The number of subscriptions to the channel; nil when it is not counted, or not known on this server.
        package var subscriptions: Int?
        package var users: Int?

        package init(_ name: String, title: String? = nil, subscriptions: Int? = nil, users: Int?) {
            self.name = name
            self.title = title
            self.subscriptions = subscriptions
            self.users = users
        }
    }

    package var rows: [Row]
    /// The number of all matching channels; nil when it is not known.
    package var total: Int?
    /// The name after which the next page begins; nil for the last page.
    package var next: String?

    package init(_ rows: [Row], total: Int?, next: String?) {
        self.rows = rows
        self.total = total
        self.next = next
    }

    /// Makes a page of the first `limit` of `rows`. A row beyond the limit means that another page follows.
    package init(first limit: Int, of rows: [Row], total: Int) {
        self.init(Array(rows.prefix(limit)), total: total, next: rows.count > limit ? rows.prefix(limit).last?.name : nil)
    }

    /// Merges the rows of an application whose channels are distributed over the partitions of a cluster. Keeps the first `limit` rows.
    ///
    /// - Parameter parts: the first `limit` rows of each partition.
    package init(first limit: Int, of parts: [ChannelRows]) {
        let all = parts.flatMap(\.rows).sorted { Identifier($0.name) < Identifier($1.name) }
        let first = Array(all.prefix(limit))
        let hasMore = all.count > limit || parts.contains { $0.next != nil }
        self.init(
            first, total: parts.reduce(0) { total, part in total.flatMap { sum in part.total.map { sum + $0 } } },
            next: hasMore ? first.last?.name : nil)
    }
}

/// The members of a channel.
package struct ChannelMembers: Hashable, Sendable, Codable {
    package var isOccupied: Bool
    /// Whether the service tracks the members of this kind of channel.
    package var hasMembers: Bool
    /// Some of the members, at most ``limit``.
    package var users: [String]
    /// The number of all members.
    package var count: Int

    /// The largest number of listed members.
    package static let limit = 500

    package init(isOccupied: Bool, hasMembers: Bool = true, users: [String], count: Int) {
        self.isOccupied = isOccupied
        self.hasMembers = hasMembers
        self.users = Array(users.prefix(Self.limit))
        self.count = count
    }
}

/// A page of the users whom a service stores independently of connections.
package struct UserRows: Hashable, Sendable {
    package struct Row: Hashable, Sendable {
        package var user: String
        /// Some of the user's channels, sorted by name.
        package var channels: [String]
        package var channelCount: Int

        package init(_ user: String, channels: [String], channelCount: Int) {
            self.user = user
            self.channels = channels
            self.channelCount = channelCount
        }
    }

    package var rows: [Row]
    /// The number of all matching users.
    package var total: Int
    /// The user after whom the next page begins; nil for the last page.
    package var next: String?

    /// Makes a page of the first `limit` of `rows`. A row beyond the limit means that another page follows.
    package init(first limit: Int, of rows: [Row], total: Int) {
        self.rows = Array(rows.prefix(limit))
        self.total = total
        next = rows.count > limit ? rows.prefix(limit).last?.user : nil
    }
}

/// A request that is held open until there is an answer, such as a long poll.
package struct HeldRow: Hashable, Sendable {
    package var id: String
    package var application: String
    package var user: String?
    package var address: String?
    package var channels: [String]
    package var channelCount: Int
    package var held: Duration
    /// The longest time for which the request is held.
    package var hold: Duration

    package init(
        id: String, application: String, user: String?, address: String?, channels: [String], channelCount: Int, held: Duration,
        hold: Duration
    ) {
        self.id = id
        self.application = application
        self.user = user
        self.address = address
        self.channels = channels
        self.channelCount = channelCount
        self.held = held
        self.hold = hold
    }
}
