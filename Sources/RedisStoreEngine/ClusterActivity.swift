import RedisClient

/// Whether servers use the keys of a cluster, or of one of its partitions, as Redis shows it (rule DC-15).
package struct ClusterActivity: Hashable, Sendable {
    /// The name of the node that leads and may still decide; nil for none.
    package var leader: String?
    /// The number of nodes that read the log.
    package var readers: Int
    /// The last term of a leader and its last entry in the log. A server that runs for some seconds changes it.
    package var position: String

    /// Whether no server runs.
    package var isAtRest: Bool { leader == nil && readers == 0 }
}

extension ClusterKeys {
    /// The key of the cluster's layout.
    package var layout: RedisArgument { key("layout") }

    /// Asks Redis whether servers use these keys.
    ///
    /// - Parameter ask: performs a command on the Redis that has the keys.
    package func activity(
        _ ask: (RedisCommand) async throws(RedisFailure) -> RedisValue
    ) async throws(RedisFailure) -> ClusterActivity {
        let fields = try await ask(RedisCommand("HMGET", leader, "name", "expires", "generation", "sequence")).elements ?? []
        let time = try await ask(RedisCommand("TIME")).elements?.first?.number ?? 0
        let listening = try await ask(RedisCommand("PUBSUB", "NUMSUB", .text(logChannel)))
        let (name, words) = (fields.first?.text, fields.dropFirst().map { $0.text ?? "" })
        // A lease ends in milliseconds of the clock of Redis; that of a leader that has resigned is 0.
        let ends = words.first.flatMap { Int64($0) } ?? 0
        return ClusterActivity(
            leader: ends / 1_000 >= time ? name : nil,
            readers: Int(clamping: listening[logChannel]?.number ?? listening.elements?.last?.number ?? 0),
            position: words.dropFirst().joined(separator: " "))
    }

    /// Whether a cluster has ever had a leader here.
    package func hasLeader(_ ask: (RedisCommand) async throws(RedisFailure) -> RedisValue) async throws(RedisFailure) -> Bool {
        try await ask(RedisCommand("EXISTS", leader)).number ?? 0 > 0
    }
}
