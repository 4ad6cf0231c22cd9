import NIOCore
import ServerCluster
import ServerValues
import Testing

/// When a new leader gives up the node of the leader before.
@Suite("CR-14: the leader before")
struct FormerLeaderTests {
    static let policy = LeaderPolicy()
    let own = ClusterNode(name: "b", incarnation: 2)
    let former = ClusterNode(name: "a", incarnation: 1)
    let follower = ClusterNode(name: "c", incarnation: 3)

    /// After how many seconds a leader gives up nodes of which it hears nothing, while it hears itself.
    private func givenUp(_ before: FormerLeader?) -> [ClusterNode: Int] {
        let start = MonotonicInstant.seconds(1_000)
        var effects: [LeaderEffect] = []
        var machine = LeaderMachine(
            own, generation: 7, previous: .origin, former: before, nodesKey: "nodes", lossKey: "loss",
            policy: Self.policy, at: start)
        machine.open(to: [own, former, follower], at: start, into: &effects)
        var result: [ClusterNode: Int] = [:]
        for second in 0..<30 {
            let now = start.advanced(by: .seconds(second))
            machine.receive(ClusterRequests(generation: 7, node: own, session: 1), at: now, into: &effects)
            effects = []
            machine.tick(at: now, into: &effects)
            for case .left(let node) in effects { result[node] = second }
        }
        return result
    }

    @Test(
        "The leader before has 10 s from its last renewal, and at least 4 s; all others have 10 s",
        arguments: [
            (0, 10), (1, 9), (3, 7), (5, 5), (6, 4), (60, 4), (-5, 10),
        ])
    func silence(_ silent: Int, _ expected: Int) {
        let found = givenUp(FormerLeader(node: former, silence: .seconds(silent)))
        #expect(found[former] == expected)
        #expect(found[follower] == 10)
        #expect(found[own] == nil)
    }

    @Test("Without a leader before, or when the same process leads again, all nodes have 10 s")
    func others() {
        #expect(givenUp(nil)[former] == 10)
        #expect(givenUp(FormerLeader(node: own, silence: .seconds(6)))[own] == nil)
    }

    @Test("CR-15: A leader that stops records it, and the next one removes its node at once and waits for the others")
    func stopped() throws {
        let start = MonotonicInstant.seconds(1_000)
        var effects: [LeaderEffect] = []
        var leader = LeaderMachine(
            former, generation: 6, previous: .origin, nodesKey: "nodes", lossKey: "loss", policy: Self.policy, at: start)
        leader.open(to: [], at: start, into: &effects)
        leader.noteStopping(id: 5)
        effects = []
        leader.committed(.kept, at: start, into: &effects)
        let commit = try #require(effects.compactMap { if case .commit(let commit) = $0 { commit } else { nil } }.first)
        #expect(commit.writes == [.put("nodes", .text(former.description), value: 0)])
        effects = []
        leader.committed(.kept, at: start, into: &effects)
        #expect(effects.contains { if case .completed(5, true) = $0 { true } else { false } })
        var next = LeaderMachine(
            own, generation: 7, previous: leader.position, nodesKey: "nodes", lossKey: "loss", policy: Self.policy, at: start)
        effects = []
        next.open(to: [own, former, follower], stopped: [own, former], at: start, into: &effects)
        #expect(effects.compactMap { if case .left(let node) = $0 { node } else { nil } } == [former])
        #expect(next.nodes == [own, follower])
    }

    @Test("CR-23: While the leader does not hear its own node it gives up nobody; afterwards all nodes have their 10 s again")
    func deaf() {
        let start = MonotonicInstant.seconds(1_000)
        var effects: [LeaderEffect] = []
        var machine = LeaderMachine(
            own, generation: 7, previous: .origin, nodesKey: "nodes", lossKey: "loss", policy: Self.policy,
            at: start)
        machine.open(to: [own, follower], at: start, into: &effects)
        var left: [ClusterNode: Int] = [:]
        for second in 0..<60 {
            let now = start.advanced(by: .seconds(second))
            // Messages pass in the first two seconds, and from the 30th second on.
            if second < 2 || second >= 30 {
                machine.receive(ClusterRequests(generation: 7, node: own, session: 1), at: now, into: &effects)
            }
            if second < 2 { machine.receive(ClusterRequests(generation: 7, node: follower, session: 1), at: now, into: &effects) }
            effects = []
            machine.tick(at: now, into: &effects)
            for case .left(let node) in effects { left[node] = second }
        }
        #expect(left == [follower: 40])
    }
}
