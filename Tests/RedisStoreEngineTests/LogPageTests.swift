import NIOCore
import RedisClient
import ServerCluster
import Testing

@testable import RedisStoreEngine

@Suite("Batches in an answer of Redis")
struct LogPageTests {
    private let leader = ClusterNode(name: "a", incarnation: 1)

    private func batch(_ sequence: UInt64) -> ClusterBatch {
        ClusterBatch(
            position: ClusterPosition(generation: 5, sequence: sequence),
            previous: ClusterPosition(generation: 5, sequence: sequence - 1), leader: leader, items: [])
    }

    /// An answer of `read.lua`.
    private func answer(more: Int64, _ batches: [ByteBuffer]) -> RedisValue {
        .array([
            .integer(more),
            .array(
                batches.enumerated().map { index, bytes in
                    .array([
                        .bulk(ByteBuffer(string: "5-\(index + 1)")), .array([.bulk(ByteBuffer(string: "b")), .bulk(bytes)]),
                    ])
                }),
        ])
    }

    @Test func `CR-5: a page says whether the log has later batches`() {
        let batches = [batch(1), batch(2)]
        #expect(ClusterBatch.list(answer(more: 0, batches.map { $0.encoded() })) == LogPage(batches, isAll: true))
        #expect(ClusterBatch.list(answer(more: 1, batches.map { $0.encoded() })) == LogPage(batches, isAll: false))
        #expect(ClusterBatch.list(answer(more: 0, [])) == LogPage([], isAll: true))
    }

    @Test func `CR-89: a page that ends with a batch that cannot be read is not the last one`() {
        let (first, damaged) = (batch(1), ByteBuffer(string: "x"))
        let page = ClusterBatch.list(answer(more: 0, [first.encoded(), damaged, batch(3).encoded()]))
        #expect(page == LogPage([first], isAll: false))
        #expect(ClusterBatch.list(answer(more: 0, [damaged, batch(2).encoded()])) == LogPage([], isAll: false))
    }
}
