import ClusterTestSupport
import NIOCore
import ServerCluster
import ServerValues

/// One process of the simulated cluster: the real core, the model of a service, and what its clients were told.
struct ModelNode {
    enum Operation {
        case elect(ElectionMode, generation: UInt64?, seen: UInt64)
        case count(ClusterNode)
        case readPosition
        case readLog(after: ClusterPosition)
        case publish(ClusterRequests, to: ClusterNode)
        case commit(ClusterCommit)
        case answer(ClusterAnswers, to: ClusterNode)
        case prepare(generation: UInt64)
        case prepareToResign(generation: UInt64)
        case resign(inFavourOf: ClusterNode, generation: UInt64)
    }

    enum Answer {
        case elected(ElectionOutcome)
        case counted(Int?)
        case located(ClusterLeaderRecord?)
        case log([ClusterBatch])
        case readFailed
        case committed(CommitOutcome)
        case fenced(generation: UInt64)
        case prepared(generation: UInt64, ModelLeader, [ClusterNode], hasLost: Bool)
        case readyToHandOver(generation: UInt64)
    }

    enum Outcome: Hashable {
        case waiting, done, unavailable, unknown
    }

    var core: ClusterCore
    var service: ModelLeader?
    /// What was sent to Redis and not carried out yet, oldest first.
    var operations: [Operation] = []
    var answers: [Answer] = []
    var messages: [ModelRedis.Message] = []
    var isConnected = false
    var isFrozen = false

    /// What the node's clients hold.
    var holdings: Set<String> = []
    /// Drops that were asked for and not confirmed.
    var requests: [UInt64: String] = [:]
    /// The texts that were told, with their numbers, in order; nil where facts were declared lost.
    var told: [(number: Int, text: String)?] = []

    /// Answers to queries that were not judged yet.
    var queried: [(id: UInt64, answer: String)] = []

    /// How often the log had lost what the node had not read.
    var missingLogs = 0

    static let nodesKey: StoreKey = "nodes"
    static let lossKey: StoreKey = "loss"

    init(_ number: Int, at now: MonotonicInstant) {
        var policy = LeaderPolicy()
        // Small, so that answers have several pieces and do not fit into the window.
        (policy.pieceBytes, policy.answerWindow) = (16, 200)
        core = ClusterCore(
            ClusterNode(name: "node", incarnation: UInt64(number)), nodesKey: Self.nodesKey, lossKey: Self.lossKey,
            leaderPolicy: policy, at: now)
    }

    var incarnation: UInt64 { core.node.incarnation }

    mutating func run(_ now: MonotonicInstant, _ body: (inout ClusterCore, inout [ClusterEffect]) -> Void) -> [(UInt64, Outcome)]
    {
        var effects: [ClusterEffect] = []
        body(&core, &effects)
        var outcomes: [(UInt64, Outcome)] = []
        var index = 0
        while index < effects.count {
            perform(effects[index], now, &effects, &outcomes)
            index += 1
        }
        return outcomes
    }

    private mutating func perform(
        _ effect: ClusterEffect, _ now: MonotonicInstant, _ effects: inout [ClusterEffect], _ outcomes: inout [(UInt64, Outcome)]
    ) {
        switch effect {
        case .elect(let mode, let generation):
            operations.append(.elect(mode, generation: generation, seen: core.highestGeneration))
        case .resign(let successor, let generation):
            operations.append(.resign(inFavourOf: successor, generation: generation))
        case .prepareToResign(let generation): operations.append(.prepareToResign(generation: generation))
        // The simulation chooses successors itself.
        case .proposeHandOver: break
        case .countListeners(let node): operations.append(.count(node))
        case .prepare(let generation): operations.append(.prepare(generation: generation))
        case .retire: service = nil
        case .member(let effect): perform(effect, now, &effects, &outcomes)
        case .leader(let effect): perform(effect, now, &effects)
        }
    }

    private mutating func perform(
        _ effect: MemberEffect, _ now: MonotonicInstant, _ effects: inout [ClusterEffect], _ outcomes: inout [(UInt64, Outcome)]
    ) {
        switch effect {
        case .readPosition: operations.append(.readPosition)
        case .readLog(let position): operations.append(.readLog(after: position))
        case .publish(let requests, let leader): operations.append(.publish(requests, to: leader))
        case .apply(_, let fact):
            let parts = String(buffer: fact).split(separator: ":")
            if parts[0] == "said", let number = Int(parts[1]) { told.append((number, String(parts[2]))) }
        case .complete(let id, let result):
            let request = requests.removeValue(forKey: id)
            if request == "ask", case .success(let answer) = result { queried.append((id, String(buffer: answer))) }
            let outcome: Outcome =
                switch result {
                case .success: .done
                case .failure(.unknown): .unknown
                case .failure: .unavailable
                }
            if outcome == .done, let request, request.hasPrefix("hold:") { holdings.insert(String(request.dropFirst(5))) }
            outcomes.append((id, outcome))
        case .announce:
            let payloads = holdings.sorted().map { ByteBuffer(string: $0) }
            core.withMember(at: now, &effects) { $0.announce([(.pusher, payloads)], at: now, into: &$1) }
        case .interrupt(let loss):
            if loss == .logEnded { missingLogs += 1 }
            told.append(nil)
            holdings = []
        }
    }

    private mutating func perform(_ effect: LeaderEffect, _ now: MonotonicInstant, _ effects: inout [ClusterEffect]) {
        switch effect {
        case .commit(let commit): operations.append(.commit(commit))
        case .answer(let answers, let node): operations.append(.answer(answers, to: node))
        case .handle(_, let payload, let node, let session, let number, let isQuery):
            if isQuery {
                let answer = ByteBuffer(string: ModelLeader.answer(service?.count ?? 0))
                core.withLeader(&effects) { $0.answerQuery(session, number: number, answer, at: now, into: &$1) }
                return
            }
            let emissions = service?.handle(String(buffer: payload), from: node.incarnation) ?? []
            emit(emissions, now, &effects) { machine, isJoined in
                machine.answer(session, number: number, ByteBuffer(), isJoined: isJoined)
            }
        case .announced(let parts, let node):
            let keys = Set((parts[.pusher] ?? []).map { String(buffer: $0) })
            let emissions = service?.announced(keys, by: node.incarnation) ?? []
            emit(emissions, now, &effects)
        case .left(let node):
            let emissions = service?.left(node.incarnation) ?? []
            emit(emissions, now, &effects) { machine, _ in machine.forget(node) }
        case .lost(let node):
            let emissions = service?.left(node.incarnation) ?? []
            emit(emissions, now, &effects)
        case .completed, .resign, .end: break
        }
    }

    private mutating func emit(
        _ emissions: [ModelLeader.Emission], _ now: MonotonicInstant, _ effects: inout [ClusterEffect],
        _ then: (inout LeaderMachine, Bool) -> Void = { _, _ in }
    ) {
        core.withLeader(&effects) { machine, effects in
            for (index, emission) in emissions.enumerated() {
                machine.emit(
                    ClusterEmission(
                        item: .fact(.pusher, .all, ByteBuffer(string: emission.fact)), writes: [emission.write],
                        isJoined: index > 0))
            }
            then(&machine, !emissions.isEmpty)
            machine.flush(at: now, into: &effects)
        }
    }
}
