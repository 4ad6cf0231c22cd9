import NIOCore
import ServerCluster
import ServerValues
import Testing

/// Whether a node knows a leader that answers requests: one whose services have restored the stored state.
@Suite("CR-72: ready while a leader answers requests")
struct LeaderReadinessTests {
    private let node = ClusterNode(name: "a", incarnation: 1)
    private let leader = ClusterNode(name: "b", incarnation: 2)
    private let start = MonotonicInstant.seconds(1_000)

    private func position(_ generation: UInt64, _ sequence: UInt64) -> ClusterPosition {
        ClusterPosition(generation: generation, sequence: sequence)
    }

    private func record(
        _ generation: UInt64, _ sequence: UInt64, after previous: ClusterPosition = .origin
    ) -> ClusterLeaderRecord {
        ClusterLeaderRecord(position: position(generation, sequence), leader: leader, previous: previous)
    }

    /// A node that has just read who leads, and has sent its announcement.
    private func follower(of record: ClusterLeaderRecord) -> ClusterCore {
        var effects: [ClusterEffect] = []
        var core = ClusterCore(node, nodesKey: "nodes", lossKey: "loss", at: start)
        core.restored(at: start, into: &effects)
        core.elected(.following(record), at: start, into: &effects)
        core.withMember(at: start, &effects) { member, effects in
            member.located(record, at: start, into: &effects)
            member.announce([], at: start, into: &effects)
        }
        return core
    }

    private func receive(
        _ items: [ClusterItem], at place: ClusterPosition, after previous: ClusterPosition, _ core: inout ClusterCore
    ) {
        let batch = ClusterBatch(position: place, previous: previous, leader: leader, items: items)
        var effects: [ClusterEffect] = []
        core.withMember(at: start, &effects) { member, effects in member.receive(batch, at: start, into: &effects) }
    }

    @Test func `CR-72: a node that starts with its leader is ready once that leader has begun`() {
        var core = follower(of: record(7, 0))
        #expect(core.member.phase == .current && core.member.leader != nil && !core.isLed)
        // What services write while they restore the stored state.
        receive([], at: position(7, 1), after: .origin, &core)
        #expect(!core.isLed)
        receive([.opened], at: position(7, 2), after: position(7, 1), &core)
        #expect(core.isLed)
    }

    @Test func `CR-72: a node that joins later is ready once the leader has taken its announcement`() {
        var core = follower(of: record(7, 5))
        #expect(!core.isLed)
        let other = ClusterSession(incarnation: 9, session: 1)
        receive([.taken(other, upTo: 1)], at: position(7, 6), after: position(7, 5), &core)
        #expect(!core.isLed)
        let own = ClusterSession(incarnation: node.incarnation, session: 1)
        receive([.taken(own, upTo: 1)], at: position(7, 7), after: position(7, 6), &core)
        #expect(core.isLed)
    }

    @Test func `CR-72: a node is not ready from the election of another leader until that one has begun`() {
        var core = follower(of: record(7, 0))
        receive([.opened], at: position(7, 1), after: .origin, &core)
        var effects: [ClusterEffect] = []
        core.elected(.following(record(7, 1)), at: start, into: &effects)
        #expect(core.isLed)
        core.elected(.following(record(8, 0, after: position(7, 1))), at: start, into: &effects)
        #expect(!core.isLed)
        receive([.opened], at: position(8, 1), after: position(7, 1), &core)
        #expect(core.isLed)
        core.elected(.vacant, at: start, into: &effects)
        #expect(!core.isLed)
        // An answer that does not come says nothing.
        core.elected(.failed, at: start, into: &effects)
        #expect(!core.isLed)
        core.elected(.following(record(8, 1)), at: start, into: &effects)
        #expect(core.isLed)
    }

    @Test func `CR-72: a process that was elected is not ready while its services restore the stored state`() throws {
        var core = follower(of: record(7, 0))
        receive([.opened], at: position(7, 1), after: .origin, &core)
        var effects: [ClusterEffect] = []
        core.elected(.elected(generation: 8, previous: position(7, 1), former: nil), at: start, into: &effects)
        #expect(!core.isLed)
        effects = []
        core.prepared(generation: 8, nodes: [], hasLost: false, at: start, into: &effects)
        let batch = try #require(
            effects.compactMap { if case .leader(.commit(let commit)) = $0 { commit.batch } else { nil } }.first)
        #expect(!core.isLed)
        core.withMember(at: start, &effects) { member, effects in member.receive(batch, at: start, into: &effects) }
        #expect(core.isLed)
    }

    @Test func `CR-72: a server stays ready for 3 s between two leaders, and is not ready before the first one`() {
        var absence = LeaderAbsence(limit: .seconds(3))
        var answers: [Bool] = []
        for (seconds, isLed) in [
            (0, false), (100, false), (101, true), (110, true), (112.9, false), (113, false), (120, false), (121, true),
            (122, false),
        ] {
            answers.append(absence.isBridged(isLed, at: start.advanced(by: .seconds(seconds))))
        }
        #expect(answers == [false, false, true, true, true, false, false, true, true])
    }

    @Test func `CR-33: a status without a leader that answers is not ready`() {
        var status = ClusterStatus()
        (status.trouble, status.isCurrent, status.leader) = ([:], true, "b")
        #expect(!status.isReady && status.isFollowing)
        status.isLed = true
        #expect(status.isReady)
        status.leader = nil
        #expect(!status.isReady && !status.isFollowing)
    }
}
