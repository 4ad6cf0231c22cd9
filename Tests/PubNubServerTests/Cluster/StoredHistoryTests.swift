import ClusterTestSupport
import Identifiers
import NIOCore
import ServerCluster
import ServerStorage
import Testing

@testable import PubNubServer

/// Pages of histories in the store of a cluster whose messages do not fit to their entries.
@Suite(.timeLimit(.minutes(1))) struct StoredHistoryTests {
    private struct Reader: ClusterReader {
        let collections: MemoryCollections

        func key(_ name: String) -> StoreKey { StoreKey(name) }
        func read(_ question: StoreRead) async throws(StoreFailure) -> StoreAnswer { collections.answer(question) }
    }

    private final class NoOutput: ClusterOutput {
        func emit(
            _ fact: ByteBuffer?, of service: ClusterServiceID, to audience: ClusterAudience, writes: [StoreWrite],
            completion: (@Sendable (Bool) -> Void)?
        ) {
            completion?(true)
        }
    }

    @Test(arguments: [true, false])
    func `CB-68: a page ends where messages have other timetokens than their entries`(isOldestFirst: Bool) async throws {
        let keys = RedisStreamKeys(reader: Reader(collections: MemoryCollections()))
        var collections = MemoryCollections()
        for number in 1...400 as ClosedRange<UInt64> {
            // All of them have expired, so the page has to go on.
            let message = StoredMessage(timetoken: 200, channel: "room", payload: [49], expires: 1)
            let field = StoreField("m", .bytes(message.encoded()))
            collections.perform(.append(keys.history("demo", "room"), number: number, [field], nil))
        }
        let store = RedisMessageStore(output: NoOutput(), reader: Reader(collections: collections), now: { 5000 })
        let query = HistoryQuery(channel: "room", limit: 100, isOldestFirst: isOldestFirst)
        #expect(try await store.history(query, application: "demo").isEmpty)
    }
}
