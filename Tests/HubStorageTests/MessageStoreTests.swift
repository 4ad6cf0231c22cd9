import ConnectionEngine
import HubStorage
import RealtimeHub
import Testing

/// What every store does, whatever it is made of.
@Suite("Message stores (HB-40 to HB-42)")
struct MessageStoreTests {
    enum Kind: CaseIterable, Sendable {
        case memory, sqlite
    }

    private let scratch = Scratch()
    private let ticks = TestTicks()

    private func store(_ kind: Kind) throws -> any MessageStore {
        let ticks = ticks
        switch kind {
        case .memory: return InMemoryMessageStore(now: { ticks.now })
        case .sqlite: return try SQLiteMessageStore(directory: scratch.path, now: { ticks.now })
        }
    }

    @Test("History pages forwards and backwards; the start is excluded and the end included", arguments: Kind.allCases)
    func paging(kind: Kind) async throws {
        let store = try store(kind)
        for token in stride(from: 10, through: 100, by: 10) as StrideThrough<UInt64> {
            try await store.append(message(token, "c"))
            try await store.append(message(token + 1, "other"))
        }
        func page(_ start: UInt64?, _ end: UInt64?, _ limit: Int, _ isOldestFirst: Bool = false) async throws -> [UInt64] {
            try await store.tokens(
                HistoryQuery(channel: "c", start: start, end: end, limit: limit, isOldestFirst: isOldestFirst))
        }
        #expect(try await page(nil, nil, 3) == [80, 90, 100])
        #expect(try await page(80, nil, 3) == [50, 60, 70])
        #expect(try await page(nil, 80, 2) == [90, 100])
        #expect(try await page(nil, 80, 9) == [80, 90, 100])
        #expect(try await page(90, 70, 9) == [70, 80])
        #expect(try await page(70, 90, 9) == [80, 90])
        #expect(try await page(nil, nil, 3, true) == [10, 20, 30])
        #expect(try await page(30, nil, 3, true) == [40, 50, 60])
        #expect(try await page(nil, 30, 9, true) == [10, 20, 30])
        #expect(try await page(30, 50, 1, true) == [40])
        #expect(try await page(5, nil, 9) == [])
        #expect(try await page(100, nil, 9, true) == [])
        #expect(try await page(nil, nil, 0) == [])
        #expect(try await store.tokens(HistoryQuery(channel: "none", limit: 9)) == [])
        await store.close()
    }

    @Test("A page is what a list would answer", arguments: Kind.allCases, 1...10 as ClosedRange<UInt64>)
    func model(kind: Kind, seed: UInt64) async throws {
        let store = try store(kind)
        var random = SeededRandom(seed: seed)
        let all = Set((0..<60).map { _ in UInt64.random(in: 1...100, using: &random) }).sorted()
        for token in all { try await store.append(message(token, "c")) }
        for _ in 0..<100 {
            let start = Bool.random(using: &random) ? UInt64.random(in: 0...110, using: &random) : nil
            let end = Bool.random(using: &random) ? UInt64.random(in: 0...110, using: &random) : nil
            let limit = Int.random(in: 1...20, using: &random), isOldestFirst = Bool.random(using: &random)
            let isUpwards = start.flatMap { start in end.map { start < $0 } } ?? isOldestFirst
            let matching = all.filter { token in
                (start.map { isUpwards ? token > $0 : token < $0 } ?? true)
                    && (end.map { isUpwards ? token <= $0 : token >= $0 } ?? true)
            }
            let expected = isOldestFirst ? Array(matching.prefix(limit)) : Array(matching.suffix(limit))
            let query = HistoryQuery(channel: "c", start: start, end: end, limit: limit, isOldestFirst: isOldestFirst)
            let answer = try await store.tokens(query)
            #expect(answer == expected, "\(query)")
        }
        await store.close()
    }

    @Test("Every field comes back as it was", arguments: Kind.allCases)
    func fields(kind: Kind) async throws {
        let store = try store(kind)
        let full = StoredMessage(
            timetoken: 17_000_000_000_000_001, channel: "ünï/ç", publisher: "ann", payload: Array("{\"a\":\"\u{0}\"}".utf8),
            metadata: Array("{}".utf8), kind: 4, customType: "note", sequence: 7, origination: .max,
            expires: 18_000_000_000_000_000)
        let bare = StoredMessage(timetoken: 17_000_000_000_000_002, channel: "ünï/ç", payload: [])
        try await store.append(full)
        try await store.append(bare)
        #expect(try await store.history(HistoryQuery(channel: "ünï/ç", limit: 9), application: "app") == [full, bare])
        #expect(try await store.history(HistoryQuery(channel: "ünï/ç", limit: 9), application: "other").isEmpty)
        await store.close()
    }

    @Test("Messages that are not stored, or have expired, are no history", arguments: Kind.allCases)
    func expiry(kind: Kind) async throws {
        let store = try store(kind)
        ticks.set(1000)
        try await store.append(message(10, "c", stored: false))
        try await store.append(message(20, "c", expires: 2000))
        try await store.append(message(30, "c"))
        #expect(try await store.tokens(HistoryQuery(channel: "c", limit: 9)) == [20, 30])
        #expect(try await store.counts(["c": 0], application: "app") == ["c": 2])
        ticks.set(2000)
        #expect(try await store.tokens(HistoryQuery(channel: "c", limit: 9)) == [30])
        #expect(try await store.counts(["c": 0], application: "app") == ["c": 1])
        await store.close()
    }

    @Test("Deleting counts, with the start excluded and the end included", arguments: Kind.allCases)
    func deleting(kind: Kind) async throws {
        let store = try store(kind)
        for token in 1...50 as ClosedRange<UInt64> { try await store.append(message(token, "c")) }
        try await store.append(message(51, "other"))
        #expect(try await store.delete(channel: "c", start: 9, end: 10, application: "app") == 1)
        #expect(try await store.delete(channel: "c", start: 5, end: 20, application: "app") == 14)
        #expect(try await store.tokens(HistoryQuery(channel: "c", limit: 8, isOldestFirst: true)) == [1, 2, 3, 4, 5, 21, 22, 23])
        #expect(try await store.delete(channel: "c", start: nil, end: 4, application: "app") == 4)
        #expect(try await store.delete(channel: "c", start: 40, end: nil, application: "app") == 10)
        #expect(try await store.delete(channel: "c", start: nil, end: nil, application: "app") == 21)
        #expect(try await store.delete(channel: "c", start: nil, end: nil, application: "app") == 0)
        #expect(try await store.tokens(HistoryQuery(channel: "other", limit: 9)) == [51])
        await store.close()
    }

    @Test("Counts are exclusive of their token and end at 10,000", arguments: Kind.allCases)
    func counts(kind: Kind) async throws {
        let store = try store(kind)
        for token in 1...10_010 as ClosedRange<UInt64> { store.append(message(token, "c"), application: "app") { _ in } }
        try await store.append(message(20_000, "d"))
        #expect(
            try await store.counts(["c": 0, "d": 19_999, "e": 0], application: "app") == ["c": 10_000, "d": 1, "e": 0])
        #expect(try await store.counts(["c": 10_000, "d": 20_000], application: "app") == ["c": 10, "d": 0])
        await store.close()
    }

    @Test("A burst of 1,000 is acknowledged in order and comes back in order", arguments: Kind.allCases)
    func burst(kind: Kind) async throws {
        let store = try store(kind)
        let acknowledged = AsyncStream<UInt64> { continuation in
            for token in 1...1000 as ClosedRange<UInt64> {
                store.append(message(token, "c"), application: "app") { error in
                    if error == nil { continuation.yield(token) }
                    if token == 1000 { continuation.finish() }
                }
            }
        }
        var order: [UInt64] = []
        for await token in acknowledged { order.append(token) }
        #expect(order == Array(1...1000))
        #expect(try await store.tokens(HistoryQuery(channel: "c", limit: 1000)) == Array(1...1000))
        await store.close()
    }
}
