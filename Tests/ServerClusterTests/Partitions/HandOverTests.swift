import NIOCore
import ServerCluster
import ServerValues
import Testing

/// When a leader resigns in favour of another node, and how.
@Suite struct HandOverTests {
    private let start = MonotonicInstant.seconds(1_000)
    private let nodes = [ClusterNode(name: "a", incarnation: 1), ClusterNode(name: "b", incarnation: 2)]
    private let partitions: ClusterPartitions

    init() throws {
        partitions = try #require(ClusterPartitions(4))
    }

    /// A process that leads a partition since `start`, with both nodes announced at this second, and what it does in the seconds after.
    private struct Leader {
        var core: ClusterCore
        let start: MonotonicInstant
        let other: ClusterNode
        var numbers: [ClusterNode: UInt64] = [:]

        init(_ own: ClusterNode, _ other: ClusterNode, _ partition: ClusterPartition?, at start: MonotonicInstant) {
            self.start = start
            self.other = other
            core = ClusterCore(own, nodesKey: "nodes", lossKey: "loss", partition: partition, at: start)
            var effects: [ClusterEffect] = []
            core.restored(at: start, into: &effects)
            core.elected(.elected(generation: 7, previous: .origin, former: nil), at: start, into: &effects)
            core.prepared(generation: 7, nodes: [], hasLost: false, at: start, into: &effects)
            keep(effects, at: start)
        }

        /// Lets Redis keep every batch that is sent.
        mutating func keep(_ effects: [ClusterEffect], at now: MonotonicInstant, outcome: CommitOutcome = .kept) {
            var effects = effects
            while effects.contains(where: { if case .leader(.commit) = $0 { true } else { false } }) {
                effects = []
                core.withLeader(&effects) { $0.committed(outcome, at: now, into: &$1) }
                if outcome != .kept { return }
            }
        }

        mutating func hear(
            _ node: ClusterNode, at now: MonotonicInstant, announcing: Bool = false, _ more: [ClusterRequest] = []
        )
            -> [ClusterEffect]
        {
            var requests = more
            if announcing {
                requests.insert(ClusterRequest(number: 1, kind: .announced, service: nil, payload: ByteBuffer()), at: 0)
            }
            var effects: [ClusterEffect] = []
            core.withLeader(&effects) {
                $0.receive(
                    ClusterRequests(generation: 7, node: node, session: 1, requests: requests), at: now, into: &$1)
            }
            return effects
        }

        /// One second, in which both nodes are heard.
        mutating func second(_ second: Int, silent: Set<ClusterNode> = [], outcome: CommitOutcome = .kept) -> [ClusterEffect] {
            let now = start.advanced(by: .seconds(second))
            for node in [core.node, other] where !silent.contains(node) { keep(hear(node, at: now), at: now, outcome: outcome) }
            var effects: [ClusterEffect] = []
            core.tick(at: now, into: &effects)
            keep(effects, at: now, outcome: outcome)
            core.elected(.leading, at: now, into: &effects)
            return effects
        }
    }

    /// The partition that the first node leads and the second one should.
    private func leader(of number: Int) -> Leader {
        var leader = Leader(nodes[0], nodes[1], ClusterPartition(number, among: partitions), at: start)
        for node in nodes { leader.keep(leader.hear(node, at: start, announcing: true), at: start) }
        return leader
    }

    private func proposed(_ effects: [ClusterEffect]) -> [ClusterNode] {
        effects.compactMap { if case .proposeHandOver(let node, 7) = $0 { node } else { nil } }
    }

    @Test("CR-55: A leader hands over to the preferred node when both have been there for 5 s, and not before")
    func settling() {
        var leader = leader(of: 2)
        let seconds = (0..<8).filter { proposed(leader.second($0)) == [nodes[1]] }
        #expect(seconds == [5, 6, 7])
    }

    @Test("CR-55: The preferred leader stays, and so does that of a cluster with one partition", arguments: [0, nil])
    func staying(_ number: Int?) {
        var leader = Leader(
            nodes[0], nodes[1], number.flatMap { ClusterPartition($0, among: partitions) }, at: start)
        for node in nodes { leader.keep(leader.hear(node, at: start, announcing: true), at: start) }
        #expect((0..<20).allSatisfy { proposed(leader.second($0)).isEmpty })
    }

    @Test("CR-57: Nothing is handed over while a node is silent, has not announced itself, or Redis refuses what is decided")
    func steadiness() {
        var silent = leader(of: 2)
        #expect((0..<9).allSatisfy { proposed(silent.second($0, silent: $0 > 1 ? [nodes[1]] : [])).isEmpty })
        var unannounced = Leader(nodes[0], nodes[1], ClusterPartition(2, among: partitions), at: start)
        unannounced.keep(unannounced.hear(nodes[0], at: start, announcing: true), at: start)
        let part = ClusterRequest(number: 1, kind: .announcement, service: .pusher, payload: ByteBuffer())
        _ = unannounced.hear(nodes[1], at: start, [part])
        #expect((0..<9).allSatisfy { proposed(unannounced.second($0)).isEmpty })
        var refused = leader(of: 2)
        let request = ClusterRequest(number: 2, kind: .request, service: .pusher, payload: ByteBuffer())
        var effects = refused.hear(nodes[1], at: start, [request])
        refused.core.withLeader(&effects) { machine, effects in
            machine.answer(ClusterSession(incarnation: 2, session: 1), number: 2, ByteBuffer(), isJoined: false)
            machine.flush(at: start, into: &effects)
        }
        refused.keep(effects, at: start, outcome: .refused)
        #expect((0..<9).allSatisfy { proposed(refused.second($0, outcome: .refused)).isEmpty })
    }

    @Test("CR-56: Requests that are handled are answered and stored before the leader resigns, and later ones wait")
    func draining() {
        var leader = leader(of: 2)
        for second in 0..<6 { _ = leader.second(second) }
        let now = start.advanced(by: .seconds(6))
        let session = ClusterSession(incarnation: 2, session: 1)
        var effects: [ClusterEffect] = []
        leader.core.handOver(to: nodes[1], generation: 7, into: &effects)
        #expect(effects.contains { if case .prepareToResign(7) = $0 { true } else { false } })
        // Requests are handled while the services prepare.
        let request = ClusterRequest(number: 2, kind: .request, service: .pusher, payload: ByteBuffer())
        #expect(handled(leader.hear(nodes[1], at: now, [request])) == [2])
        effects = []
        leader.core.readyToHandOver(generation: 7, at: now, into: &effects)
        let later = ClusterRequest(number: 3, kind: .request, service: .pusher, payload: ByteBuffer())
        #expect(handled(leader.hear(nodes[1], at: now, [later])).isEmpty && leader.core.role == .leader(generation: 7))
        effects = []
        leader.core.withLeader(&effects) { machine, effects in
            machine.answer(session, number: 2, ByteBuffer(), isJoined: false)
            machine.flush(at: now, into: &effects)
        }
        #expect(leader.core.role == .leader(generation: 7))
        effects = []
        leader.core.withLeader(&effects) { $0.committed(.kept, at: now, into: &$1) }
        #expect(leader.core.role == .follower && successors(effects) == [nodes[1]])
    }

    @Test("CR-56: A request that nobody answers delays a hand-over by one second, and nobody waits for a successor that has left")
    func limits() {
        var leader = leader(of: 2)
        for second in 0..<6 { _ = leader.second(second) }
        let now = start.advanced(by: .seconds(6))
        var effects: [ClusterEffect] = []
        leader.core.handOver(to: ClusterNode(name: "c", incarnation: 3), generation: 7, into: &effects)
        let request = ClusterRequest(number: 2, kind: .request, service: .pusher, payload: ByteBuffer())
        _ = leader.hear(nodes[1], at: now, [request])
        leader.core.readyToHandOver(generation: 7, at: now, into: &effects)
        #expect(leader.core.role == .leader(generation: 7))
        effects = leader.second(7)
        #expect(leader.core.role == .follower && successors(effects).isEmpty)
        #expect(effects.contains { if case .elect(.resign, 7) = $0 { true } else { false } })
    }

    @Test("CR-57: A node that did not take over is not chosen again for a minute")
    func reluctance() {
        var leader = leader(of: 2)
        for second in 0..<6 { _ = leader.second(second) }
        let now = start.advanced(by: .seconds(6))
        var effects: [ClusterEffect] = []
        leader.core.handOver(to: nodes[1], generation: 7, into: &effects)
        leader.core.readyToHandOver(generation: 7, at: now, into: &effects)
        leader.keep(effects, at: now)
        #expect(leader.core.role == .follower)
        // This process is elected again, since the other one did not want to lead.
        leader.core.elected(.elected(generation: 7, previous: .origin, former: nil), at: now, into: &effects)
        leader.core.prepared(generation: 7, nodes: [], hasLost: false, at: now, into: &effects)
        leader.keep(effects, at: now)
        for node in nodes { leader.keep(leader.hear(node, at: now, announcing: true), at: now) }
        let seconds = (7..<80).filter { !proposed(leader.second($0)).isEmpty }
        #expect(seconds.first == 66)
    }

    @Test("CR-3: A leader that comes back to Redis makes a batch, so that Redis gets again what it has lost")
    func comingBack() {
        var leader = leader(of: 0)
        _ = leader.second(0)
        let now = start.advanced(by: .seconds(1))
        leader.core.interrupted(at: now)
        var effects: [ClusterEffect] = []
        leader.core.restored(at: now, into: &effects)
        #expect(effects.contains { if case .leader(.commit) = $0 { true } else { false } })
    }

    @Test("CR-57: A process hands over one of its partitions at a time, with a pause in between")
    func pace() {
        let pace = HandOverPace()
        let times = [0, 1, 2, 3, 4].filter { pace.take(at: .seconds(Int64($0)), pause: .seconds(2)) }
        #expect(times == [0, 2, 4])
    }

    private func handled(_ effects: [ClusterEffect]) -> [UInt64] {
        effects.compactMap { if case .leader(.handle(_, _, from: _, _, let number, isQuery: _)) = $0 { number } else { nil } }
    }

    private func successors(_ effects: [ClusterEffect]) -> [ClusterNode] {
        effects.compactMap { if case .resign(let node, 7) = $0 { node } else { nil } }
    }
}
