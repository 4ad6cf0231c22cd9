import RedisClient

/// The restored state that a node needs to lead.
struct PreparedLeader: Sendable {
    let services: [ClusterServiceID: any ClusterLeader]
    /// The nodes of the previous leader.
    let nodes: [ClusterNode]
    let hasLost: Bool

    /// Reads the stored state from Redis and makes the leader's part of each service. When one of them fails, the others are closed.
    ///
    /// - Parameter context: makes what each service is given, from whether data was lost.
    static func make(
        _ factories: [ClusterServiceID: any ClusterLeaderFactory], from store: ClusterRedisReader, keys: ClusterKeys,
        context: (_ hasLost: Bool) -> ClusterLeaderContext
    ) async throws -> PreparedLeader {
        let hasLost = try await store.read(RedisCommand("GET", keys.loss)).text != nil
        let context = context(hasLost)
        let known = try await store.read(RedisCommand("HKEYS", keys.nodes))
        let nodes = (known.elements ?? []).compactMap { $0.text.flatMap { ClusterNode($0) } }
        var leaders: [ClusterServiceID: any ClusterLeader] = [:]
        do {
            for (service, factory) in factories { leaders[service] = try await factory.makeLeader(context) }
        } catch {
            for leader in leaders.values { await leader.close() }
            throw error
        }
        return PreparedLeader(services: leaders, nodes: nodes, hasLost: hasLost)
    }
}
