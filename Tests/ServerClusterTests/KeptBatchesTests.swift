import NIOCore
import ServerValues
import Testing

@testable import ServerCluster

/// The batches that a leader keeps in memory, to append them again when Redis has lost them.
@Suite struct KeptBatchesTests {
    private let node = ClusterNode(name: "a", incarnation: 1)

    private func buffer(_ bytes: Int, _ seed: UInt8 = 0) -> ByteBuffer {
        ByteBuffer(bytes: (0..<bytes).map { UInt8(truncatingIfNeeded: $0) &+ seed })
    }

    private func commit(_ sequence: UInt64) -> ClusterCommit {
        let session = ClusterSession(incarnation: 2, session: 3)
        var items: [ClusterItem] = [.opened, .taken(session, upTo: 4)]
        var writes: [StoreWrite] = []
        for (index, bytes) in [0, 1, 60, 256, 257, 5_000].enumerated() {
            let seed = UInt8(index) &* 40
            items.append(.fact(.pusher, index.isMultiple(of: 2) ? .all : .node(node), buffer(bytes, seed)))
            items.append(.answer(session, number: UInt64(index), buffer(bytes, seed &+ 1)))
            writes.append(
                .put("key", [StoreField(.bytes(buffer(bytes, seed &+ 2)), 7), StoreField(.bytes(buffer(30, seed)), "")]))
        }
        return ClusterCommit(
            batch: ClusterBatch(
                position: ClusterPosition(generation: 7, sequence: sequence),
                previous: ClusterPosition(generation: 7, sequence: sequence - 1), leader: node, items: items),
            writes: writes, trim: ClusterPosition(generation: 7, sequence: 1))
    }

    @Test func `CR-3: a batch that is kept is the same, with the small buffers of its writes in one`() throws {
        let commit = commit(5)
        let kept = try #require(KeptCommit(commit).commit)
        #expect(kept == commit && KeptCommit(commit).position == commit.batch.position)
        #expect(kept.bytes == commit.batch.encoded() && kept.batch.encoded() == commit.bytes)
        var capacities: Set<Int> = []
        for write in kept.writes {
            write.forEachWord { word in
                guard case .bytes(let bytes) = word, bytes.readableBytes <= 256 else { return }
                capacities.insert(bytes.storageCapacity)
            }
        }
        #expect(capacities.count == 1)
        let empty = ClusterCommit(batch: ClusterBatch(position: .origin, previous: .origin, leader: node, items: []), writes: [])
        #expect(KeptCommit(empty).commit == empty)
    }

    @Test func `CR-3: what Redis has lost is appended again as it was`() {
        var effects: [LeaderEffect] = []
        let start = MonotonicInstant.seconds(1_000)
        var machine = LeaderMachine(node, generation: 7, previous: .origin, nodesKey: "nodes", lossKey: "loss", at: start)
        machine.open(to: [], at: start, into: &effects)
        var sent: [ClusterCommit] = []
        func take() {
            for case .commit(let commit) in effects { sent.append(commit) }
            effects = []
        }
        take()
        machine.committed(.kept, at: start, into: &effects)
        for (number, item) in commit(1).batch.items.enumerated() {
            machine.emit(ClusterEmission(item: item, writes: number < 6 ? [commit(1).writes[number]] : []))
            machine.flush(at: start, into: &effects)
            take()
            machine.committed(.kept, at: start, into: &effects)
        }
        let all = sent
        sent = []
        // Redis has only the batch with which the leader began.
        machine.confirm(at: start, into: &effects)
        take()
        machine.committed(.behind(1), at: start, into: &effects)
        for _ in 0..<all.count {
            take()
            machine.committed(.kept, at: start, into: &effects)
        }
        #expect(Array(sent.dropFirst().prefix(all.count - 1)) == Array(all.dropFirst()))
    }
}
