import NIOCore
import ServerCluster
import ServerValues
import Testing

/// What the batches of a leader hold when much has to be kept at once.
@Suite("CR-41: bounded batches")
struct LeaderBatchTests {
    private let node = ClusterNode(name: "a", incarnation: 1)
    private let start = MonotonicInstant.seconds(1_000)
    private static let policy = {
        var policy = LeaderPolicy()
        (policy.batchBytes, policy.joinedBytes, policy.longestCommand) = (1_000, 4_000, 20_000)
        return policy
    }()

    /// A leader with the batch with which it opens kept, and the request 2 of its node taken.
    private func leader() -> LeaderMachine {
        var effects: [LeaderEffect] = []
        var machine = LeaderMachine(
            node, generation: 7, previous: .origin, nodesKey: "nodes", lossKey: "loss", policy: Self.policy, at: start)
        machine.open(to: [], at: start, into: &effects)
        machine.committed(.kept, at: start, into: &effects)
        return machine
    }

    private func write(_ bytes: Int) -> StoreWrite { .set("key", .text(String(repeating: "x", count: bytes))) }

    private func fact(_ bytes: Int) -> ClusterItem { .fact(.pusher, .all, ByteBuffer(repeating: 120, count: bytes)) }

    /// Commits whatever waits, and returns the batches.
    private func batches(_ machine: inout LeaderMachine) -> (commits: [ClusterCommit], effects: [LeaderEffect]) {
        var (commits, all): ([ClusterCommit], [LeaderEffect]) = ([], [])
        var effects: [LeaderEffect] = []
        machine.flush(at: start, into: &effects)
        while !effects.isEmpty {
            all += effects
            let made = effects.compactMap { if case .commit(let commit) = $0 { commit } else { nil } }
            commits += made
            effects = []
            if !made.isEmpty { machine.committed(.kept, at: start, into: &effects) }
        }
        return (commits, all)
    }

    private func bytes(_ commit: ClusterCommit) -> Int {
        commit.writes.reduce(0) { $0 + $1.cost }
            + commit.batch.items.reduce(0) {
                if case .fact(_, _, let payload) = $1 { $0 + payload.readableBytes } else { $0 }
            }
    }

    @Test("What belongs together and fits into a batch is in one, whatever waits before it")
    func joined() {
        var machine = leader()
        machine.emit(ClusterEmission(item: fact(900)))
        for index in 0..<7 { machine.emit(ClusterEmission(item: fact(500), isJoined: index > 0)) }
        let commits = batches(&machine).commits
        #expect(commits.map(\.batch.items.count) == [1, 7])
    }

    @Test("CR-100: What is decided before and after a batch is stored becomes one batch, when the owner makes it later")
    func made() {
        var machine = leader()
        var effects: [LeaderEffect] = []
        func commits() -> [Int] {
            effects.compactMap { if case .commit(let commit) = $0 { commit.batch.items.count } else { nil } }
        }
        machine.emit(ClusterEmission(item: fact(10)))
        machine.flush(at: start, into: &effects)
        #expect(commits() == [1])
        machine.emit(ClusterEmission(item: fact(10)))
        machine.committed(.kept, at: start, makesNext: false, into: &effects)
        #expect(commits() == [1])
        machine.emit(ClusterEmission(item: fact(10)))
        machine.flush(at: start, into: &effects)
        #expect(commits() == [1, 2])
    }

    @Test("What belongs together and does not fit comes in several batches, in order, and is complete with the last one")
    func divided() {
        var machine = leader()
        for index in 0..<30 {
            machine.emit(ClusterEmission(item: fact(500), writes: [write(300)], id: UInt64(index), isJoined: index > 0))
        }
        let (commits, effects) = batches(&machine)
        #expect(commits.allSatisfy { bytes($0) <= 4_000 })
        #expect(commits.reduce(0) { $0 + $1.batch.items.count } == 30)
        let completed = effects.compactMap { if case .completed(let id, true) = $0 { id } else { nil } }
        #expect(completed == Array(0..<30))
    }

    @Test("One emission with more writes than a batch takes is told with the last of them, and complete then")
    func manyWrites() {
        var machine = leader()
        machine.emit(ClusterEmission(item: fact(100), writes: (0..<40).map { _ in write(300) }, id: 1))
        let (commits, effects) = batches(&machine)
        #expect(commits.count > 2 && commits.allSatisfy { bytes($0) <= 4_000 })
        #expect(commits.flatMap(\.writes).count == 40)
        #expect(commits.map(\.batch.items.count) == Array(repeating: 0, count: commits.count - 1) + [1])
        #expect(effects.compactMap { if case .completed(let id, let isKept) = $0 { (id, isKept) } else { nil } }.count == 1)
    }

    @Test("What no batch can take ends the leader, which says so; the request is answered, so the next leader does not get it")
    func tooLong() {
        var machine = leader()
        let session = ClusterSession(incarnation: 1, session: 1)
        machine.emit(ClusterEmission(item: fact(21_000), id: 5))
        machine.answer(session, number: 2, ByteBuffer(string: "done"), isJoined: true)
        let (commits, effects) = batches(&machine)
        #expect(commits.flatMap(\.batch.items) == [.answer(session, number: 2, ByteBuffer())])
        let resignations = effects.compactMap { if case .resign(let cause) = $0 { cause } else { nil } }
        #expect(resignations == [.tooLong(bytes: 21_032)])
        #expect(effects.contains { if case .completed(5, false) = $0 { true } else { false } })
        guard case .end? = effects.last else { return #expect(Bool(false), "the leader did not end") }
    }
}
