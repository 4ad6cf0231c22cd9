import NIOCore
import RedisStoreEngine
import ServerCluster
import Testing

@Suite struct WrittenBatchTests {
    private func batch(_ sequence: UInt64, _ text: String) -> ClusterBatch {
        let node = ClusterNode(name: "a", incarnation: 1)
        return ClusterBatch(
            position: ClusterPosition(generation: 7, sequence: sequence), previous: .origin, leader: node,
            items: [.fact(.pusher, .all, ByteBuffer(string: text)), .taken(ClusterSession(incarnation: 2, session: 1), upTo: 5)])
    }

    @Test func `CR-101: a leader takes the batch that it wrote by its bytes, once, and reads any other`() throws {
        var written = WrittenBatch()
        let (first, second) = (batch(1, "one"), batch(2, "two"))
        #expect(written.take(first.encoded()) == nil)
        written.write(first, as: first.encoded())
        #expect(written.take(second.encoded()) == nil)
        #expect(written.take(batch(1, "other").encoded()) == nil)
        var received = ByteBuffer(string: "in front")
        received.writeImmutableBuffer(first.encoded())
        received.moveReaderIndex(forwardBy: 8)
        #expect(written.take(received) == first)
        #expect(try ClusterBatch(decoding: received) == first)
        #expect(written.take(received) == nil)
        written.write(first, as: first.encoded())
        written.write(second, as: second.encoded())
        #expect(written.take(first.encoded()) == nil)
        #expect(written.take(second.encoded()) == second)
    }
}
