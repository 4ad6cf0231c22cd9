import RedisClient
import ServerCluster
import ServerValues

/// How a cluster lies in Redis: the number of its partitions, what is divided over them, and the Redis over which they are spread. Each
/// Redis keeps it, and a server with another layout does not start, because it would look for data where they are not (CR-52 and CR-81).
package struct ClusterLayout: Hashable, Sendable, CustomStringConvertible {
    /// What several partitions divide among themselves. It has no meaning with one partition, which decides about everything.
    package enum Scheme: Hashable, Sendable {
        /// Each application is in one partition, as in versions before channels were spread.
        case applications
        /// As ``applications``, but the channels of a Pusher application are spread over all partitions.
        case channels

        fileprivate var description: String {
            switch self {
            case .applications: ", with each application in one of them"
            case .channels: ", with Pusher's channels spread"
            }
        }
    }

    package let partitions: Int
    /// The number of Redis.
    package let redis: Int
    /// A hash of the places of several Redis; nil for one, which may have several addresses.
    package let places: String?
    package let scheme: Scheme
    /// Whether what lasts is in a database beside Redis.
    package private(set) var hasDatabase: Bool

    /// The layout of the same cluster when what lasts is in a database beside Redis.
    package var besideDatabase: ClusterLayout {
        var layout = self
        layout.hasDatabase = true
        return layout
    }

    /// The word of ``Scheme/channels`` in ``text``, and that of ``hasDatabase``. They have no `=`, because versions that do not know them refuse
    /// such a text, and skip fields that they do not know.
    private static let channelsWord = "channels"
    private static let databaseWord = "database"

    /// - Parameters:
    ///   - places: the places of all Redis, without users and passwords.
    ///   - scheme: what the partitions divide.
    ///   - hasDatabase: whether what lasts is in a database beside Redis.
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

    /// The layout of clusters that were started by versions without partitions, which do not store it.
    package static let former = ClusterLayout(partitions: 1)

    /// The text that Redis keeps.
    package var text: String {
        "partitions=\(partitions) redis=\(redis)\(places.map { " places=\($0)" } ?? "")"
            + (scheme == .channels ? " " + Self.channelsWord : "") + (hasDatabase ? " " + Self.databaseWord : "")
    }

    /// - Parameter text: a stored ``text``; nil when it cannot be read.
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

    /// Whether two layouts are the same except for what the partitions divide.
    fileprivate func isSame(as other: ClusterLayout) -> Bool {
        partitions == other.partitions && redis == other.redis && places == other.places && hasDatabase == other.hasDatabase
    }

    /// In words, for operators.
    package var description: String {
        "\(partitions) partition\(partitions == 1 ? "" : "s") on "
            + (redis == 1 ? "one Redis" : "\(redis) Redis with the fingerprint \(places ?? "none")")
            + (partitions == 1 ? "" : scheme.description) + (hasDatabase ? ", with PostgreSQL beside it" : "")
    }
}

/// A layout in Redis that differs from a server's.
package struct LayoutConflict: Error, Hashable, Sendable, CustomStringConvertible {
    /// What Redis keeps, in words.
    package let stored: String
    /// What the server is configured with.
    package let own: ClusterLayout
    /// The key that keeps the layout.
    package let key: String
    /// Whether the layouts differ only in what the partitions divide, which depends on the version of the server.
    package var isOfVersion = false
    /// Whether one of them has a database beside Redis and the other one has none.
    package var isOfDatabase = false

    package var description: String {
        guard !isOfVersion else {
            return "The cluster has \(stored), and servers of this version have \(own). Start a server of the version of the "
                + "others, or stop all servers, remove the key \(key) in each Redis, and start all with this version. Only the last "
                + "events of Pusher's cache channels are then not found; everything else stays."
        }
        guard !isOfDatabase else {
            return
                "The cluster has \(stored), and this server is configured for \(own). Start it with the same data as the others. To take what "
                + "is in Redis to PostgreSQL, stop all servers and run `lifeline data copy REDIS POSTGRESQL --beside-redis`. To begin without the "
                + "messages, inboxes, members and grants of the other place, stop all servers, remove the key \(key) in each Redis, and start them "
                + "again."
        }
        return
            "The cluster has \(stored), and this server is configured for \(own). Start it with the same partitions and the same "
            + "redis as the others. To change them, stop all servers, remove the key \(key) in each Redis, and start them again. "
            + "Applications whose partition is another one then begin without their stored messages, inboxes, members and grants, unless these "
            + "are in PostgreSQL."
    }
}

extension ClusterKeys {
    /// Stores the layout of a cluster, or compares it with the stored one.
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
        // Versions without partitions store no layout, but the record of their leader.
        if layout != .former, try await ask(RedisCommand("EXISTS", leader)).number ?? 0 > 0 {
            return conflict("\(ClusterLayout.former), as of a version before 0.3,")
        }
        _ = try await ask(RedisCommand("SET", .text(name), .text(layout.text), "NX"))
        // Another server may have been faster.
        return compare(try await ask(RedisCommand("GET", .text(name))).text ?? layout.text)
    }
}
