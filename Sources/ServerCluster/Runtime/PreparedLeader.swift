/// The ``ClusterLeader`` of each service with its restored state, and the nodes of the previous leader: what a node needs to lead.
struct PreparedLeader: Sendable {
    let services: [ClusterServiceID: any ClusterLeader]
    /// The nodes that were members under the previous leader.
    let nodes: [ClusterNode]
    /// The nodes among ``nodes`` that have stopped.
    let stopped: [ClusterNode]
    let hasLost: Bool

    /// Reads the stored state and makes the ``ClusterLeader`` of each service. When one of them fails, the others are closed.
    ///
    /// - Parameter context: makes the context for the services. Its argument is whether data was lost.
    static func make(
        _ factories: [ClusterServiceID: any ClusterLeaderFactory], from store: any ClusterReader,
        context: (_ hasLost: Bool) -> ClusterLeaderContext
    ) async throws -> PreparedLeader {
        let hasLost = try await store.value(of: store.key(StoreKey.loss)) != nil
        let context = context(hasLost)
        let nodes = try await store.allFields(of: store.key(StoreKey.nodes)).compactMap { field in
            ClusterNode(String(buffer: field.name)).map { (node: $0, isStopped: LeaderMachine.isStopped(field.value)) }
        }
        var leaders: [ClusterServiceID: any ClusterLeader] = [:]
        do {
            for (service, factory) in factories { leaders[service] = try await factory.makeLeader(context) }
        } catch {
            for leader in leaders.values { await leader.close() }
            throw error
        }
        return PreparedLeader(
            services: leaders, nodes: nodes.map(\.node), stopped: nodes.filter(\.isStopped).map(\.node), hasLost: hasLost)
    }
}
