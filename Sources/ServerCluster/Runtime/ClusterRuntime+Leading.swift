import Logging
import NIOCore

// The leader's parts of the services, while this node leads.
extension ClusterRuntime {
    /// The leader's parts of the services; none while this node does not lead.
    var leading: [any ClusterLeader] { Array(leaders.values) }

    func prepare(_ generation: UInt64) {
        guard !isClosed else { return }
        logger.notice("this node begins to lead")
        let output = LeaderOutput(inbox, generation: generation)
        let (store, log, eventLoop) = (engine.collections, StoredLog(engine: engine), eventLoop)
        let (factories, former, partition) = (factories, retiring, settings.partition)
        // No batch was made since the election.
        let last = core.leader?.position.generation
        let made = onLoop { (runtime: ClusterRuntime, result: Result<PreparedLeader, any Error>) in
            runtime.prepared(generation, result)
        }
        Task {
            await former?.value
            do {
                let leader = try await PreparedLeader.make(factories, from: store) { hasLost in
                    ClusterLeaderContext(
                        output: output, store: store, log: log, generation: generation, former: last, hasLost: hasLost,
                        eventLoop: eventLoop, partition: partition)
                }
                made(.success(leader))
            } catch {
                made(.failure(error))
            }
        }
    }

    func prepared(_ generation: UInt64, _ result: Result<PreparedLeader, any Error>) {
        switch result {
        case .success(let made):
            guard core.role == .preparing(generation: generation) else {
                retiring = Task { for leader in made.services.values { await leader.close() } }
                return
            }
            status.problem = nil
            leaders = made.services
            let nodes = Array(Set(made.nodes + made.services.values.flatMap(\.restoredNodes)))
            run { $0.prepared(generation: generation, nodes: nodes, hasLost: made.hasLost, at: $1, into: &$2) }
        case .failure(let error):
            logger.error("the services cannot begin to lead", metadata: ["error": "\(type(of: error))"])
            status.problem = "The services could not restore what the store keeps."
            run { core, now, effects in core.preparationFailed(generation: generation, at: now, into: &effects) }
        }
    }

    /// Prepares the services for a hand-over.
    func prepareToResign(_ generation: UInt64) {
        let leaders = leading
        let prepared = onLoop { (runtime: ClusterRuntime, _: Void) in
            runtime.run { $0.readyToHandOver(generation: generation, at: $1, into: &$2) }
        }
        Task {
            await withTaskGroup(of: Void.self) { group in
                for leader in leaders { group.addTask { await leader.prepareToResign() } }
            }
            prepared(())
        }
    }

    func retire() {
        let (former, ended) = (retiring, leaders)
        leaders = [:]
        retiring = Task {
            await former?.value
            for leader in ended.values { await leader.close() }
        }
    }
}
