import Identifiers
import ServerStorage
import Testing

@testable import HubStorage

@Suite("History in memory (HB-41)")
struct InMemoryMessageStoreTests {
    // Proof of HB-41, HB-66.
    @Test("A channel keeps its last messages")
    func perChannel() async throws {
        let store = InMemoryMessageStore(limits: MemoryLimits(messagesPerChannel: 5))
        for token in 1...20 as ClosedRange<UInt64> { try await store.append(message(token, "c")) }
        try await store.append(message(21, "d"))
        #expect(try await store.tokens(HistoryQuery(channel: "c", limit: 100)) == [16, 17, 18, 19, 20])
        #expect(try await store.tokens(HistoryQuery(channel: "d", limit: 100)) == [21])
    }

    // Proof of HB-41, HB-66.
    @Test("Beyond its memory the oldest messages of all go first, however often channels have dropped some before")
    func inAll() async throws {
        let store = InMemoryMessageStore(limits: MemoryLimits(messagesPerChannel: 100, bytes: 33_000))
        for token in 1...5000 as ClosedRange<UInt64> { try await store.append(message(token, "c")) }
        for token in 5001...5090 as ClosedRange<UInt64> { try await store.append(message(token, Identifier("d \(token % 3)"))) }
        let old = try await store.tokens(HistoryQuery(channel: "c", limit: 1000))
        #expect(old.count < 100 && old.last == 5000)
        #expect(old == Array((5001 - UInt64(old.count))...5000))
        for rest in 0..<3 as Range<UInt64> {
            #expect(try await store.tokens(HistoryQuery(channel: Identifier("d \(rest)"), limit: 1000)).count == 30)
        }
    }

    @Test("Messages that came out of order do not keep the later ones of their channel (HB-41)")
    func evictionOutOfOrder() async throws {
        let store = InMemoryMessageStore(limits: MemoryLimits(messagesPerChannel: 1000, bytes: 33_000))
        try await store.append(message(2, "c"))
        try await store.append(message(1, "c"))
        for token in 3...200 as ClosedRange<UInt64> { try await store.append(message(token, "c")) }
        let all = try await store.tokens(HistoryQuery(channel: "c", limit: 1000))
        #expect(all.count < 110 && all.last == 200 && all == Array((201 - UInt64(all.count))...200))
        // Later messages of other channels take their place.
        for token in 201...400 as ClosedRange<UInt64> { try await store.append(message(token, "d")) }
        #expect(try await store.tokens(HistoryQuery(channel: "c", limit: 1000)).isEmpty)
    }

    @Test("Of messages that were dropped for their bytes nothing is left, however many there were (HB-41)")
    func nothingLeft() {
        var log = MessageLog(limits: MemoryLimits(messagesPerChannel: 1000, bytes: 33_000))
        for token in 1...20_000 as ClosedRange<UInt64> {
            log.append(message(token, Identifier("c \(token % 10)")), application: "app", at: 0)
        }
        #expect(log.entryCount < 3000)
        // What is left can still be trimmed.
        var step = log.trim("app", HistoryLimits(messages: 7))
        while step.isUnfinished { step = log.trim("app", HistoryLimits(messages: 7)) }
        #expect(step.usage.messages == 7)
    }

    @Test("It says that it forgets")
    func restoring() async throws {
        let state = try await InMemoryMessageStore().restore()
        #expect(!state.remembersStream && state.highestTimetoken == 0)
    }

    @Test("Messages may come a little out of order, and none comes twice")
    func disorder() async throws {
        let store = InMemoryMessageStore()
        for token in [5, 3, 4, 5, 9, 7, 3] as [UInt64] { try await store.append(message(token, "c")) }
        #expect(try await store.tokens(HistoryQuery(channel: "c", limit: 100)) == [3, 4, 5, 7, 9])
    }

    @Test(.timeLimit(.minutes(1)))
    func `SO-165: trimming copies no messages, however many a channel has`() async throws {
        let store = InMemoryMessageStore(limits: MemoryLimits(messagesPerChannel: 200_000))
        for token in 1...100_000 as ClosedRange<UInt64> { try await store.append(message(token, "c")) }
        let usage = try await store.trim(["app": HistoryLimits(messages: 10)])
        #expect(usage["app"]?.messages == 10 && usage["app"]?.removed == 99_990)
        #expect(try await store.tokens(HistoryQuery(channel: "c", limit: 100)) == Array(99_991...100_000))
    }

    @Test(.timeLimit(.minutes(1)))
    func `HB-41: messages that were deleted behind an older one cost nothing afterwards`() async throws {
        let store = InMemoryMessageStore(limits: MemoryLimits(messagesPerChannel: 200_000))
        for token in 1...100_000 as ClosedRange<UInt64> { try await store.append(message(token, "c")) }
        #expect(try await store.delete(channel: "c", start: 1, end: nil, application: "app") == 99_999)
        for token in 100_001...120_000 as ClosedRange<UInt64> { try await store.append(message(token, "d")) }
        #expect(try await store.tokens(HistoryQuery(channel: "c", limit: 100)) == [1])
        #expect(try await store.trim(["app": HistoryLimits(messages: 20_000)])["app"]?.removed == 1)
    }
}
