import NIOCore
import ServerCluster
import ServerValues
import Testing

/// When a process asks to lead, and what it asks for.
@Suite("CR-19, CR-22: coming back to Redis")
struct ElectionTests {
    private let node = ClusterNode(name: "a", incarnation: 1)
    private let leader = ClusterNode(name: "b", incarnation: 2)
    private let start = MonotonicInstant.seconds(1_000)

    private func record(_ generation: UInt64) -> ClusterLeaderRecord {
        ClusterLeaderRecord(
            position: ClusterPosition(generation: generation, sequence: 1), leader: leader, previous: .origin)
    }

    /// A follower that has seen the leader of generation 7 at `start`.
    private func follower() -> ClusterCore {
        var effects: [ClusterEffect] = []
        var core = ClusterCore(node, nodesKey: "nodes", lossKey: "loss", at: start)
        core.restored(at: start, into: &effects)
        core.elected(.following(record(7)), at: start, into: &effects)
        core.withMember(at: start, &effects) { member, effects in member.located(record(7), at: start, into: &effects) }
        return core
    }

    /// What the core asks Redis for at each of these seconds when Redis always says that the other process leads, and nobody hears it.
    private func asked(_ core: inout ClusterCore, from: MonotonicInstant, seconds: Range<Int>) -> [ElectionMode] {
        seconds.flatMap { second in
            let now = from.advanced(by: .seconds(second))
            var effects: [ClusterEffect] = []
            core.tick(at: now, into: &effects)
            core.elected(.following(record(7)), at: now, into: &effects)
            core.counted(0, at: now, into: &effects)
            return effects.compactMap { if case .elect(let mode, _) = $0 { mode } else { nil } }
        }
    }

    @Test("CR-22: A process that comes back to Redis only looks for 5 s, and takes over from nobody meanwhile")
    func grace() {
        var core = follower()
        let back = start.advanced(by: .seconds(20))
        core.interrupted(at: start.advanced(by: .seconds(10)))
        var effects: [ClusterEffect] = []
        core.restored(at: back, into: &effects)
        let first = effects.compactMap { if case .elect(let mode, _) = $0 { mode } else { nil } }
        core.elected(.following(record(7)), at: back, into: &effects)
        core.counted(0, at: back, into: &effects)
        #expect(first == [.look])
        #expect(asked(&core, from: back, seconds: 1..<5) == [.look, .look, .look, .look])
        let later = asked(&core, from: back, seconds: 5..<8)
        #expect(later.first == .ask && later.contains(.take) && !later.contains(.look))
    }

    @Test("CR-22: A process that has just started asks at once, and a leader that resigns is followed at once also in these 5 s")
    func newcomer() {
        var effects: [ClusterEffect] = []
        var core = ClusterCore(node, nodesKey: "nodes", lossKey: "loss", at: start)
        core.restored(at: start, into: &effects)
        #expect(effects.contains { if case .elect(.ask, _) = $0 { true } else { false } })
        var back = follower()
        back.interrupted(at: start)
        back.restored(at: start, into: &effects)
        back.elected(.following(record(7)), at: start, into: &effects)
        effects = []
        back.resigned(at: start.advanced(by: .milliseconds(100)), into: &effects)
        #expect(effects.contains { if case .elect(.look, _) = $0 { true } else { false } })
    }

    @Test("CR-19: A process remembers the highest generation that it has seen, also when Redis has forgotten it")
    func generations() {
        var core = follower()
        #expect(core.highestGeneration == 7)
        var effects: [ClusterEffect] = []
        core.interrupted(at: start)
        core.restored(at: start, into: &effects)
        effects = []
        core.withMember(at: start, &effects) { member, effects in member.located(record(5), at: start, into: &effects) }
        #expect(core.highestGeneration == 7)
        #expect(effects.contains { if case .member(.interrupt(.logEnded)) = $0 { true } else { false } })
    }

    @Test func `CR-90: a question that was repeated after an interruption does not end the term to which the first one led`() {
        var effects: [ClusterEffect] = []
        var core = ClusterCore(node, nodesKey: "nodes", lossKey: "loss", at: start)
        core.restored(at: start, into: &effects)
        core.interrupted(at: start)
        core.restored(at: start, into: &effects)
        #expect(effects.count { if case .elect(.ask, _) = $0 { true } else { false } } == 2)
        core.elected(.elected(generation: 7, previous: .origin, former: nil), at: start, into: &effects)
        effects = []
        func own(_ generation: UInt64) -> ClusterLeaderRecord {
            ClusterLeaderRecord(
                position: ClusterPosition(generation: generation, sequence: 0), leader: node, previous: .origin)
        }
        core.elected(.following(own(7)), at: start, into: &effects)
        #expect(core.role == .preparing(generation: 7) && effects.isEmpty)
        core.prepared(generation: 7, nodes: [], hasLost: false, at: start, into: &effects)
        core.elected(.following(own(7)), at: start, into: &effects)
        #expect(core.role == .leader(generation: 7))
        // Another term is not its own, also under the same name.
        core.elected(.following(own(8)), at: start, into: &effects)
        #expect(core.role == .follower)
    }

    @Test func `CR-64: a process whose services cannot begin to lead asks again after a second, and not before`() {
        var effects: [ClusterEffect] = []
        var core = ClusterCore(node, nodesKey: "nodes", lossKey: "loss", at: start)
        core.restored(at: start, into: &effects)
        core.elected(.elected(generation: 7, previous: .origin, former: nil), at: start, into: &effects)
        core.preparationFailed(generation: 7, at: start, into: &effects)
        #expect(core.role == .follower)
        #expect(effects.contains { if case .elect(.resign, 7) = $0 { true } else { false } })
        let soon = start.advanced(by: .milliseconds(900))
        effects = []
        core.resigned(at: start, into: &effects)
        core.resigned(at: soon, into: &effects)
        core.tick(at: soon, into: &effects)
        #expect(!effects.contains { if case .elect = $0 { true } else { false } })
        core.tick(at: start.advanced(by: .seconds(1)), into: &effects)
        #expect(effects.contains { if case .elect(.ask, _) = $0 { true } else { false } })
    }
}
