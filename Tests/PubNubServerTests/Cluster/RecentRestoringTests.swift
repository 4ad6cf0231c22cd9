import ClusterTestSupport
import Identifiers
import NIOConcurrencyHelpers
import NIOCore
import ServerCluster
import ServerStorage
import Testing

@testable import PubNubServer

/// What a new leader reads of the recent messages.
@Suite struct RecentRestoringTests {
    /// Counts the pages of recent messages that are read.
    private struct Reader: ClusterReader {
        let collections: MemoryCollections
        let pages = NIOLockedValueBox(0)

        func key(_ name: String) -> StoreKey { StoreKey(name) }

        func read(_ question: StoreRead) async throws(StoreFailure) -> StoreAnswer {
            if case .entries = question { pages.withLockedValue { $0 += 1 } }
            return collections.answer(question)
        }
    }

    private final class NoOutput: ClusterOutput {
        func emit(
            _ fact: ByteBuffer?, of service: ClusterServiceID, to audience: ClusterAudience, writes: [StoreWrite],
            completion: (@Sendable (Bool) -> Void)?
        ) {
            completion?(true)
        }
    }

    /// Restores from a store with the messages 1001 to 1000 + `count`.
    private func restore(
        _ count: Int, limit: Int = 100_000
    ) async throws -> (timetokens: [UInt64], since: UInt64, pages: Int) {
        let keys = RedisStreamKeys(reader: Reader(collections: MemoryCollections()))
        var collections = MemoryCollections()
        collections.perform(.add(keys.keysets, ["demo"]))
        collections.perform(.set(keys.began, "1000"))
        for number in 0..<count {
            let message = StoredMessage(
                timetoken: 1001 + UInt64(number), channel: "room-pnpres", payload: Array("1".utf8), isStored: false)
            let field = StoreField("m", .bytes(message.encoded()))
            collections.perform(.append(keys.recent("demo"), number: message.timetoken, [field], nil))
        }
        let reader = Reader(collections: collections)
        let store = RedisMessageStore(
            output: NoOutput(), reader: reader, settings: RedisStoreSettings(recentMessages: limit), now: { 5000 })
        let state = try await store.restore()
        return ((state.recent["demo"] ?? []).map(\.timetoken), state.recentSince, reader.pages.withLockedValue { $0 })
    }

    @Test(arguments: [0, 1, 99, 100, 101, 250, 1000])
    func `CR-73: a leader reads recent messages once, in pages, and restores them in order`(count: Int) async throws {
        let restored = try await restore(count)
        #expect(restored.timetokens == (0..<count).map { 1001 + UInt64($0) } && restored.since == 1000)
        // One question is about the newest message.
        #expect(restored.pages <= count / 100 + 2)
    }

    @Test func `CR-73: a leader reads no more recent messages than it restores, except for the page that it has asked for`()
        async throws
    {
        let restored = try await restore(1000, limit: 250)
        #expect(restored.timetokens == (0..<250).map { 1751 + UInt64($0) } && restored.since == 1750)
        #expect(restored.pages <= 5)
    }
}
