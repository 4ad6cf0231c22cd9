import RedisClient
import ServerValues

/// How a cluster lies in Redis: the number of its partitions, and the Redis over which they are spread. Each Redis keeps it, and a
/// server with another layout does not start, because it would look for the data of applications where they are not (CR-52).
package struct ClusterLayout: Hashable, Sendable, CustomStringConvertible {
    package let partitions: Int
    /// The number of Redis.
    package let redis: Int
    /// A hash of the places of several Redis; nil for one, which may have several addresses.
    package let places: String?

    /// - Parameter places: the places of all Redis, without users and passwords.
    package init(_ partitions: ClusterPartitions, over places: [String]) {
        self.partitions = partitions.count
        redis = places.count
        self.places = places.count > 1 ? String(StableHash.of(places.sorted().joined(separator: "\n")), radix: 16) : nil
    }

    private init(partitions: Int) {
        self.partitions = partitions
        redis = 1
        places = nil
    }

    /// The layout of clusters that were started by versions without partitions, which do not store it.
    package static let former = ClusterLayout(partitions: 1)

    /// The text that Redis keeps.
    package var text: String { "partitions=\(partitions) redis=\(redis)\(places.map { " places=\($0)" } ?? "")" }

    /// - Parameter text: a stored ``text``; nil when it cannot be read.
    package init?(_ text: String) {
        var fields: [Substring: Substring] = [:]
        for word in text.split(separator: " ") {
            let parts = word.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let name = parts.first, let value = parts.last else { return nil }
            fields[name] = value
        }
        guard let partitions = fields["partitions"].flatMap({ Int($0) }), let redis = fields["redis"].flatMap({ Int($0) }) else {
            return nil
        }
        self.partitions = partitions
        self.redis = redis
        places = fields["places"].map { String($0) }
    }

    /// In words, for operators.
    package var description: String {
        "\(partitions) partition\(partitions == 1 ? "" : "s") on "
            + (redis == 1 ? "one Redis" : "\(redis) Redis with the fingerprint \(places ?? "none")")
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

    package var description: String {
        "The cluster has \(stored), and this server is configured for \(own). Start it with the same partitions and the same redis as "
            + "the others. To change them, stop all servers, remove the key \(key) in each Redis, and start them again. Applications "
            + "whose partition is another one then begin without their stored messages, inboxes, members and grants."
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
        if let text = try await ask(RedisCommand("GET", .text(name))).text {
            return ClusterLayout(text) == layout ? nil : conflict(ClusterLayout(text)?.description ?? "an unreadable layout")
        }
        // Versions without partitions store no layout, but the record of their leader.
        if layout != .former, try await ask(RedisCommand("EXISTS", leader)).number ?? 0 > 0 {
            return conflict("\(ClusterLayout.former), as of a version before 0.3,")
        }
        _ = try await ask(RedisCommand("SET", .text(name), .text(layout.text), "NX"))
        // Another server may have been faster.
        let text = try await ask(RedisCommand("GET", .text(name))).text ?? layout.text
        return ClusterLayout(text) == layout ? nil : conflict(ClusterLayout(text)?.description ?? "an unreadable layout")
    }
}
