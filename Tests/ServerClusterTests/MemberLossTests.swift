import NIOCore
import ServerCluster
import ServerValues
import Testing

/// What a node makes of a loss that the log tells of.
@Suite("CR-9: losses that the log tells of")
struct MemberLossTests {
    private let node = ClusterNode(name: "a", incarnation: 1)
    private let leader = ClusterNode(name: "b", incarnation: 2)
    private let now = MonotonicInstant.seconds(1_000)

    private func position(_ generation: UInt64, _ sequence: UInt64) -> ClusterPosition {
        ClusterPosition(generation: generation, sequence: sequence)
    }

    /// Has a machine find the log at this position.
    private func locate(_ machine: inout MemberMachine, at last: ClusterPosition) {
        var effects: [MemberEffect] = []
        machine.located(ClusterLeaderRecord(position: last, leader: leader, previous: .origin), at: now, into: &effects)
    }

    /// Whether a machine says that facts are lost when the batch behind `previous` tells of a loss.
    private func losesFacts(
        _ machine: inout MemberMachine, _ previous: ClusterPosition, _ next: ClusterPosition, lost: ClusterPosition
    ) -> Bool {
        var effects: [MemberEffect] = []
        machine.receive(
            ClusterBatch(position: next, previous: previous, leader: leader, items: [.forked(at: lost)]), at: now, into: &effects)
        return effects.contains { if case .interrupt = $0 { true } else { false } }
    }

    @Test("A node that has followed the log only since the loss takes it as one; told again of the same one, it goes on")
    func loss() {
        var effects: [MemberEffect] = []
        var machine = MemberMachine(node, at: now)
        machine.restored(at: now, into: &effects)
        let lost = position(5, 3)
        locate(&machine, at: position(9, 1))
        #expect(losesFacts(&machine, position(9, 1), position(9, 2), lost: lost) == true)
        locate(&machine, at: position(9, 2))
        #expect(losesFacts(&machine, position(9, 2), position(10, 1), lost: lost) == false)
        #expect(machine.position == position(10, 1))
        #expect(losesFacts(&machine, position(10, 1), position(10, 2), lost: position(5, 2)) == true)
    }

    @Test("CR-16: A node that cannot reach Redis for 30 s takes everything for lost, once; a shorter break is no loss")
    func isolation() {
        var effects: [MemberEffect] = []
        var machine = MemberMachine(node, at: now)
        machine.restored(at: now, into: &effects)
        locate(&machine, at: position(9, 1))
        machine.interrupted(at: now)
        effects = []
        machine.tick(at: now.advanced(by: .milliseconds(29_999)), into: &effects)
        #expect(!effects.contains(.interrupt(.isolated)) && machine.position == position(9, 1))
        for second in 30..<90 { machine.tick(at: now.advanced(by: .seconds(second)), into: &effects) }
        #expect(effects.filter { $0 == .interrupt(.isolated) }.count == 1 && machine.position == nil)
        // A node that has heard nothing yet has nothing to lose.
        var fresh = MemberMachine(node, at: now)
        effects = []
        fresh.tick(at: now.advanced(by: .seconds(60)), into: &effects)
        #expect(effects.isEmpty)
    }

    @Test func `CR-89: a batch that a node cannot read is a loss after three readings`() {
        var effects: [MemberEffect] = []
        var machine = MemberMachine(node, at: now)
        machine.restored(at: now, into: &effects)
        locate(&machine, at: position(9, 1))
        effects = []
        machine.receive(
            ClusterBatch(position: position(9, 3), previous: position(9, 2), leader: leader, items: []), at: now, into: &effects)
        #expect(effects == [.readLog(after: position(9, 1))])
        for _ in 0..<2 {
            effects = []
            machine.read([], isAll: false, at: now, into: &effects)
            #expect(effects == [.readLog(after: position(9, 1))])
        }
        effects = []
        machine.read([], isAll: false, at: now, into: &effects)
        #expect(effects == [.interrupt(.logEnded), .readPosition])
    }

    @Test func `CR-15: a node that has left refuses requests at once, because nobody answers them`() {
        var effects: [MemberEffect] = []
        var machine = MemberMachine(node, at: now)
        machine.restored(at: now, into: &effects)
        locate(&machine, at: position(9, 1))
        machine.announce([], at: now, into: &effects)
        func request(_ id: UInt64, within limit: Duration?) {
            machine.request(
                id, of: .pusher, ByteBuffer(string: "x"), deadline: limit.map { now.advanced(by: $0) }, isRepeatable: true,
                isQuery: id > 2, at: now, into: &effects)
        }
        for id: UInt64 in 1...3 { request(id, within: id == 1 ? nil : .seconds(3)) }
        machine.flush(at: now, into: &effects)
        request(7, within: nil)
        effects = []
        machine.close(into: &effects)
        for id: UInt64 in 4...6 { request(id, within: id == 4 ? nil : .seconds(3)) }
        machine.flush(at: now, into: &effects)
        var failed: [ClusterFailure: [UInt64]] = [:]
        for case .complete(let id, .failure(let failure)) in effects { failed[failure, default: []].append(id) }
        // The leader may perform the first two, which were sent; the third one only reads.
        #expect(failed == [.unknown: [1, 2], .closed: [3, 7, 4, 5, 6]] && machine.waitingBytes == 0)
        let published = effects.compactMap { effect -> Bool? in
            if case .publish(let message, _) = effect { message.isFarewell } else { nil }
        }
        #expect(published == [true])
    }

    @Test func `CR-15: a node that has left reports no loss, and leaves the next leader too instead of joining it`() {
        var effects: [MemberEffect] = []
        var machine = MemberMachine(node, at: now)
        machine.restored(at: now, into: &effects)
        locate(&machine, at: position(9, 1))
        machine.announce([], at: now, into: &effects)
        machine.close(into: &effects)
        effects = []
        let own = ClusterSession(incarnation: node.incarnation, session: 1)
        machine.receive(
            ClusterBatch(position: position(9, 2), previous: position(9, 1), leader: leader, items: [.expelled(own)]), at: now,
            into: &effects)
        #expect(effects.isEmpty && machine.losses == 0 && machine.position == position(9, 2))
        let next = ClusterNode(name: "c", incarnation: 3)
        machine.receive(
            ClusterBatch(position: position(10, 1), previous: position(9, 2), leader: next, items: [.opened]), at: now,
            into: &effects)
        machine.announce([(.pusher, [ByteBuffer(string: "x")])], at: now, into: &effects)
        let farewell = ClusterRequests(generation: 10, node: node, session: 1, isFarewell: true, requests: [])
        #expect(effects == [.publish(farewell, to: next)])
    }
}
