import Logging
import NIOCore

// Making and closing the leader's side of the services (``ClusterLeader``) while this node leads.
extension ClusterRuntime {
    /// The ``ClusterLeader`` of each service; empty while this node does not lead.
    var leading: [any ClusterLeader] { Array(leaders.values) }

    func prepare(_ generation: UInt64) {
        guard !isClosed else { return }
        logger.notice("this node becomes the leader: its services load the stored state")
        let output = LeaderOutput(inbox, generation: generation)
        let (store, log, eventLoop) = (engine.collections, StoredLog(engine: engine), eventLoop)
        let (factories, former, partition) = (factories, retiring, settings.partition)
        // This is the position of the previous leader, because no batch was made since the election.
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
            run {
                $0.prepared(
                    generation: generation, nodes: nodes, stopped: made.stopped, hasLost: made.hasLost, at: $1, into: &$2)
            }
        case .failure(let error):
            logger.error(
                "this node cannot lead: a service could not load its stored state; retried every second",
                metadata: ["error": "\(type(of: error))"])
            status.problem =
                "The services of this node could not restore their state from the store, so it cannot lead yet. See the log."
            run { core, now, effects in core.preparationFailed(generation: generation, at: now, into: &effects) }
        }
    }

    /// Makes the leader's services prepare to resign, and then continues the hand-over.
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

    /// If this node leads, stores that this node is about to stop. The future succeeds when that is stored or when the time limit is
    /// reached. It succeeds at once if this node does not lead or the store cannot be used.
    func noteStopping(within limit: TimeAmount) -> EventLoopFuture<Void> {
        let stored = eventLoop.makePromise(of: Void.self)
        guard case .leader = core.role, status.trouble.isEmpty, !status.isRefused else {
            stored.succeed()
            return stored.futureResult
        }
        lastID += 1
        let id = lastID
        emissions[id] = { _ in stored.succeed() }
        run { core, _, effects in core.withLeader(&effects) { machine, _ in machine.noteStopping(id: id) } }
        run { core, now, effects in core.withLeader(&effects) { $0.flush(at: now, into: &$1) } }
        // The time limit is needed because a store that accepts no writes must not delay the end of this process.
        eventLoop.scheduleTask(in: limit) { stored.succeed() }
        return stored.futureResult
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
