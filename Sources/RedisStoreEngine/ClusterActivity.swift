import RedisClient

/// Whether servers are using the keys of a cluster, or of one of its partitions, according to Redis (rule DC-15).
package struct ClusterActivity: Hashable, Sendable {
    /// The name of the node that is the leader and whose lease has not ended; nil for none.
    package var leader: String?
    /// The number of nodes that are subscribed to the Redis channel of the log, on which the leader publishes its batches.
    package var readers: Int
    /// The leader's generation (the number of its election) and the sequence number of its last batch in the log. They change within
    /// seconds while a server runs.
    package var position: String

    /// Whether no server uses these keys: no node leads, and none is subscribed to the log.
    package var isAtRest: Bool { leader == nil && readers == 0 }
}

extension ClusterKeys {
    /// The name of the key with the stored ``ClusterLayout``.
    package var layout: RedisArgument { key("layout") }

    /// Asks Redis whether servers are using these keys.
    ///
    /// - Parameter ask: performs a command on the Redis that has the keys.
    package func activity(
        _ ask: (RedisCommand) async throws(RedisFailure) -> RedisValue
    ) async throws(RedisFailure) -> ClusterActivity {
        let fields = try await ask(RedisCommand("HMGET", leader, "name", "expires", "generation", "sequence")).elements ?? []
        let time = try await ask(RedisCommand("TIME")).elements?.first?.number ?? 0
        let listening = try await ask(RedisCommand("PUBSUB", "NUMSUB", .text(logChannel)))
        let (name, words) = (fields.first?.text, fields.dropFirst().map { $0.text ?? "" })
        // The end of the lease, in milliseconds by the clock of Redis; 0 for a leader that has resigned.
        let ends = words.first.flatMap { Int64($0) } ?? 0
        return ClusterActivity(
            leader: ends / 1_000 >= time ? name : nil,
            readers: Int(clamping: listening[logChannel]?.number ?? listening.elements?.last?.number ?? 0),
            position: words.dropFirst().joined(separator: " "))
    }

    /// Whether the cluster with these keys has ever had a leader in this Redis.
    package func hasLeader(_ ask: (RedisCommand) async throws(RedisFailure) -> RedisValue) async throws(RedisFailure) -> Bool {
        try await ask(RedisCommand("EXISTS", leader)).number ?? 0 > 0
    }
}
