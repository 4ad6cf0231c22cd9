import RedisClient
import ServerCluster
import ServerValues

/// The layout of a cluster's data in Redis: the number of partitions, how data is assigned to them, and the Redis servers that store them.
/// Each Redis server stores the layout. A server with another layout does not start, because it would not find the cluster's data (CR-52
/// and CR-81).
package struct ClusterLayout: Hashable, Sendable, CustomStringConvertible {
    /// How data is assigned to several partitions: by application or by channel. Without effect if there is only one partition.
    package enum Scheme: Hashable, Sendable {
        /// Each application belongs to one partition, as in versions that did not distribute channels.
        case applications
        /// Each application belongs to one partition, except that the channels of a Pusher application are distributed over all partitions.
        case channels

        fileprivate var description: String {
            switch self {
            case .applications: ", with each application in one of them"
            case .channels: ", with Pusher's channels spread"
            }
        }
    }

    package let partitions: Int
    /// The number of Redis servers over which the partitions are distributed.
    package let redis: Int
    /// A hash of the addresses of several Redis servers; nil if there is only one server, even if that server has several addresses.
    package let places: String?
    package let scheme: Scheme
    /// Whether persistent data, such as histories, is in a PostgreSQL database beside Redis.
    package private(set) var hasDatabase: Bool

    /// The layout of the same cluster with its persistent data in a PostgreSQL database beside Redis.
    package var besideDatabase: ClusterLayout {
        var layout = self
        layout.hasDatabase = true
        return layout
    }

    /// The words in ``text`` that stand for ``Scheme/channels`` and for ``hasDatabase``. They contain no `=`: earlier versions refuse a
    /// text with such a word, while they would ignore an unknown field with `=`.
    private static let channelsWord = "channels"
    private static let databaseWord = "database"

    /// - Parameters:
    ///   - places: the addresses of all Redis servers, without users and passwords.
    ///   - scheme: how data is assigned to partitions.
    ///   - hasDatabase: whether persistent data is in a PostgreSQL database beside Redis.
    package init(
        _ partitions: ClusterPartitions, over places: [String], scheme: Scheme = .channels, hasDatabase: Bool = false
    ) {
        self.hasDatabase = hasDatabase
        self.partitions = partitions.count
        self.scheme = partitions.count > 1 ? scheme : .applications
        redis = places.count
        self.places = places.count > 1 ? String(StableHash.of(places.sorted().joined(separator: "\n")), radix: 16) : nil
    }

    private init(partitions: Int) {
        self.partitions = partitions
        redis = 1
        places = nil
        scheme = .applications
        hasDatabase = false
    }

    /// The layout of clusters that were started by versions without partitions, which do not store a layout.
    package static let former = ClusterLayout(partitions: 1)

    /// The layout as the text that Redis stores.
    package var text: String {
        "partitions=\(partitions) redis=\(redis)\(places.map { " places=\($0)" } ?? "")"
            + (scheme == .channels ? " " + Self.channelsWord : "") + (hasDatabase ? " " + Self.databaseWord : "")
    }

    /// Parses a stored layout; nil when it cannot be read.
    ///
    /// - Parameter text: a text as in ``text``.
    package init?(_ text: String) {
        var fields: [Substring: Substring] = [:]
        var scheme = Scheme.applications
        var hasDatabase = false
        for word in text.split(separator: " ") {
            switch String(word) {
            case Self.channelsWord:
                scheme = .channels
                continue
            case Self.databaseWord:
                hasDatabase = true
                continue
            default: break
            }
            let parts = word.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let name = parts.first, let value = parts.last else { return nil }
            fields[name] = value
        }
        guard let partitions = fields["partitions"].flatMap({ Int($0) }), let redis = fields["redis"].flatMap({ Int($0) }) else {
            return nil
        }
        self.partitions = partitions
        self.redis = redis
        self.scheme = scheme
        places = fields["places"].map { String($0) }
        self.hasDatabase = hasDatabase
    }

    /// Whether two layouts are equal, apart from their ``scheme``.
    fileprivate func isSame(as other: ClusterLayout) -> Bool {
        partitions == other.partitions && redis == other.redis && places == other.places && hasDatabase == other.hasDatabase
    }

    /// The layout in words, for operators: the number of partitions and of Redis servers, and whether there is a database.
    package var description: String {
        "\(partitions) partition\(partitions == 1 ? "" : "s") on "
            + (redis == 1 ? "one Redis" : "\(redis) Redis with the fingerprint \(places ?? "none")")
            + (partitions == 1 ? "" : scheme.description) + (hasDatabase ? ", with PostgreSQL beside it" : "")
    }
}

/// The error of a server whose layout differs from the one that Redis stores.
package struct LayoutConflict: Error, Hashable, Sendable, CustomStringConvertible {
    /// The layout that Redis stores, in words.
    package let stored: String
    /// The layout for which the server is configured.
    package let own: ClusterLayout
    /// The name of the key under which Redis stores the layout.
    package let key: String
    /// Whether the layouts differ only in their ``ClusterLayout/Scheme``, which depends on the version of the server.
    package var isOfVersion = false
    /// Whether only one of the layouts has a PostgreSQL database beside Redis.
    package var isOfDatabase = false

    package var description: String {
        guard !isOfVersion else {
            return "The cluster in Redis has \(stored), but servers of this version need \(own). Start the same version as the "
                + "other servers, or stop all servers, remove the key \(key) in each Redis, and start all of them with this version. "
                + "That loses the last events of Pusher's cache channels; all other data stays."
        }
        guard !isOfDatabase else {
            return
                "The cluster in Redis has \(stored), but this server is configured for \(own). Start it with the same `data` setting "
                + "as the other servers. To move the data in Redis to PostgreSQL, stop all servers and run `lifeline data copy REDIS "
                + "POSTGRESQL --beside-redis`. To begin without the messages, inboxes, members and grants that are stored until now, stop all servers, "
                + "remove the key \(key) in each Redis, and start them again."
        }
        return
            "The cluster in Redis has \(stored), but this server is configured for \(own). Start it with the same `partitions` and "
            + "`redis` settings as the other servers. To change these settings, stop all servers, remove the key \(key) in each "
            + "Redis, and start them again. Applications that get another partition then begin without their stored messages, inboxes, members and grants, "
            + "unless these are in PostgreSQL."
    }
}

extension ClusterKeys {
    /// Stores the layout of a new cluster, or compares a layout with the stored one.
    ///
    /// - Parameter ask: performs a command on the Redis that has the key.
    /// - Returns: the difference; nil when the layouts are equal.
    package func claim(
        _ layout: ClusterLayout, _ ask: (RedisCommand) async throws(RedisFailure) -> RedisValue
    ) async throws(RedisFailure) -> LayoutConflict? {
        let name = name("layout")
        func conflict(_ stored: String) -> LayoutConflict { LayoutConflict(stored: stored, own: layout, key: name) }
        func compare(_ text: String) -> LayoutConflict? {
            guard let stored = ClusterLayout(text) else { return conflict("an unreadable layout") }
            guard stored != layout else { return nil }
            var found = conflict(stored.description)
            found.isOfVersion = stored.isSame(as: layout)
            found.isOfDatabase = stored.hasDatabase != layout.hasDatabase
            return found
        }
        if let text = try await ask(RedisCommand("GET", .text(name))).text { return compare(text) }
        // Versions without partitions store no layout, but they store the record of their leader.
        if layout != .former, try await ask(RedisCommand("EXISTS", leader)).number ?? 0 > 0 {
            return conflict("\(ClusterLayout.former), as of a version before 0.3,")
        }
        _ = try await ask(RedisCommand("SET", .text(name), .text(layout.text), "NX"))
        // Another server may have stored its layout first, because SET with NX keeps an existing value.
        return compare(try await ask(RedisCommand("GET", .text(name))).text ?? layout.text)
    }
}
