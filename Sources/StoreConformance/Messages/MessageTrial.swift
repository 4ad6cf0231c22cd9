import Identifiers
import ServerStorage

/// Makes a message for checks. The fields that are no parameters have fixed values.
func message(
    _ timetoken: UInt64, _ channel: Identifier = "room", bytes: Int = 0, isStored: Bool = true, expires: UInt64? = nil
) -> StoredMessage {
    StoredMessage(
        timetoken: timetoken, channel: channel, publisher: "ann",
        payload: Array("\"\(timetoken)\"".utf8) + [UInt8](repeating: 32, count: bytes), isStored: isStored, expires: expires)
}

extension MessageStore {
    /// Appends a message and waits until it is stored; throws the error of the store.
    func append(_ message: StoredMessage, with change: MessageActionChange? = nil, in application: String = "app") async throws {
        let error: (any Error)? = await withCheckedContinuation { continuation in
            append(message, with: change, application: application) { continuation.resume(returning: $0) }
        }
        if let error { throw error }
    }

    /// Commits changes and waits until they are stored; throws the error of the store.
    func commit(_ changes: [KeysetRecordChange], with messages: [StoredMessage], in application: String = "app") async throws {
        let error: (any Error)? = await withCheckedContinuation { continuation in
            commit(changes, with: messages, application: application) { continuation.resume(returning: $0) }
        }
        if let error { throw error }
    }

    /// Returns the timetokens of the messages in a page of history.
    func tokens(_ query: HistoryQuery, in application: String = "app") async throws -> [UInt64] {
        try await history(query, application: application).map(\.timetoken)
    }

    func tokens(of channel: Identifier = "room", in application: String = "app") async throws -> [UInt64] {
        try await tokens(HistoryQuery(channel: channel, limit: 20_000), in: application)
    }
}

// MARK: - Writing

extension MessageTrial {
    func order() async throws {
        let store = try await open()
        let outcomes = AsyncStream<(UInt64, Bool)> { continuation in
            for token in 1...1000 as ClosedRange<UInt64> {
                store.append(message(token), application: "app") { error in
                    continuation.yield((token, error == nil))
                    if token == 1000 { continuation.finish() }
                }
            }
        }
        var confirmed: [UInt64] = []
        for await (token, isKept) in outcomes {
            try expect(isKept, "the message \(token) of 1000 was refused")
            confirmed.append(token)
            guard token % 100 == 1 else { continue }
            let page = try await store.tokens(
                HistoryQuery(channel: "room", start: token - 1, end: token, limit: 1, isOldestFirst: true))
            try expect(page, equals: [token], "a read after the completion of \(token)")
        }
        try expect(confirmed == Array(1...1000), "the completions came in the order \(confirmed.prefix(20))…")
        try await expect(store.tokens(), equals: Array(1...1000), "the history")
        await store.close()
    }

    func concurrency() async throws {
        let store = try await open()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 1...4 as ClosedRange<UInt64> {
                group.addTask {
                    for number in 0..<100 as Range<UInt64> { try await store.append(message(4 * number + task)) }
                }
            }
            try await group.waitForAll()
        }
        try await expect(store.tokens(), equals: Array(1...400), "the history")
        await store.close()
    }

    func repetition() async throws {
        let store = try await open()
        let first = message(5)
        try await store.append(first)
        // A store may refuse or ignore this message, because the timetoken 5 exists already.
        try? await store.append(message(5, bytes: 10))
        try await store.append(message(6))
        let found = try await store.history(HistoryQuery(channel: "room", limit: 9), application: "app")
        try expect(found.map(\.timetoken), equals: [5, 6], "the history")
        try expect(found.first == first, "the second message took the place of the first")
        await store.close()
    }

    func fields() async throws {
        let store = try await open()
        let full = StoredMessage(
            timetoken: 17_000_000_000_000_001, channel: "ünï/ç", publisher: "ann\u{0}\u{1F600}",
            payload: Array("{\"a\":\"\u{0}\"}".utf8), metadata: Array("{}".utf8), kind: 4, customType: "note", sequence: 7,
            origination: .max, expires: 18_000_000_000_000_000)
        let bare = StoredMessage(timetoken: 17_000_000_000_000_002, channel: "ünï/ç", payload: [])
        for message in [full, bare] { try await store.append(message) }
        let found = try await store.history(HistoryQuery(channel: "ünï/ç", limit: 9), application: "app")
        try expect(found, equals: [full, bare], "the history")
        await store.close()
    }
}

// MARK: - Reading

extension MessageTrial {
    func spans() async throws {
        let store = try await open()
        var random = RepeatableRandom(seed: 1)
        let all = Set((0..<60).map { _ in UInt64.random(in: 1...100, using: &random) }).sorted()
        for token in all {
            try await store.append(message(token))
            try await store.append(message(token, "other"))
        }
        for _ in 0..<300 {
            let query = HistoryQuery(
                channel: "room", start: Bool.random(using: &random) ? UInt64.random(in: 0...110, using: &random) : nil,
                end: Bool.random(using: &random) ? UInt64.random(in: 0...110, using: &random) : nil,
                limit: Int.random(in: 0...20, using: &random), isOldestFirst: Bool.random(using: &random))
            let inside = all.filter { token in query.span.map { $0.lowest <= token && token <= $0.highest } ?? false }
            let expected = query.isOldestFirst ? Array(inside.prefix(query.limit)) : Array(inside.suffix(query.limit))
            try await expect(store.tokens(query), equals: expected, "\(query)")
        }
        try await expect(store.tokens(of: "none"), equals: [], "a channel without messages")
        await store.close()
    }

    func bytes() async throws {
        let store = try await open()
        for token in 1...20 as ClosedRange<UInt64> { try await store.append(message(token, bytes: 1000)) }
        let size = message(10, bytes: 1000).size
        for (isOldestFirst, expected) in [(true, [1, 2, 3]), (false, [18, 19, 20])] as [(Bool, [UInt64])] {
            let query = HistoryQuery(channel: "room", limit: 9, isOldestFirst: isOldestFirst, maximumBytes: 2 * size + size / 2)
            try await expect(store.tokens(query), equals: expected, "a page of two and a half messages")
        }
        await store.close()
    }

    func retention() async throws {
        let store = try await open()
        let now = place.now()
        try await store.append(message(10, isStored: false))
        try await store.append(message(20, expires: now + TimetokenClock.ticksPerSecond))
        try await store.append(message(30))
        try await expect(store.tokens(), equals: [20, 30], "the history before anything has expired")
        try await expect(
            store.counts(["room": 0], application: "app"), equals: ["room": 2], "the count before anything has expired")
        place.pass(seconds: 1)
        try await expect(store.tokens(), equals: [30], "the history in the instant in which a message expires")
        try await expect(store.counts(["room": 0], application: "app"), equals: ["room": 1], "the count in that instant")
        await store.close()
    }

    func counts() async throws {
        let store = try await open()
        for token in 1...10_010 as ClosedRange<UInt64> { store.append(message(token), application: "app") { _ in } }
        try await store.append(message(20_000, "other"))
        try await expect(
            store.counts(["room": 0, "other": 19_999, "none": 0], application: "app"),
            equals: ["room": 10_000, "other": 1, "none": 0],
            "counting 10,010, one and no message")
        try await expect(
            store.counts(["room": 10_000, "other": 20_000], application: "app"), equals: ["room": 10, "other": 0],
            "counting what comes after 10,000 and 20,000")
        await store.close()
    }
}

// MARK: - Deleting, and names of channels

extension MessageTrial {
    func deletion() async throws {
        let store = try await open()
        var left: [UInt64] = Array(1...2500)
        for token in left { store.append(message(token), application: "app") { _ in } }
        try await store.append(message(5000, "other"))
        for (start, end) in [(9, 10), (5, 20), (nil, 4), (2000, 1000), (2400, nil), (nil, nil), (nil, nil)]
            as [(UInt64?, UInt64?)]
        {
            let span = HistorySpan(start: start, end: end, isOldestFirst: true)
            let kept = left.filter { token in span.map { token < $0.lowest || $0.highest < token } ?? true }
            let count = try await store.delete(channel: "room", start: start, end: end, application: "app")
            let name = "deleting from \(start.map { "\($0)" } ?? "the beginning") to \(end.map { "\($0)" } ?? "the end")"
            try expect(count, equals: left.count - kept.count, name)
            left = kept
            try await expect(store.tokens(), equals: left, "the history after " + name)
        }
        try await expect(store.tokens(of: "other"), equals: [5000], "another channel after all was deleted")
        await store.close()
    }

    func applications() async throws {
        let store = try await open()
        let names = ["app", "App", "app ", composed, decomposed]
        for (name, token) in zip(names, 1...5 as ClosedRange<UInt64>) { try await store.append(message(token), in: name) }
        for (name, token) in zip(names, 1...5 as ClosedRange<UInt64>) {
            try await expect(store.tokens(in: name), equals: [token], "the history of the application \(name)")
            try await expect(
                store.counts(["room": 0], application: name), equals: ["room": 1], "the count of the application \(name)")
        }
        let count = try await store.delete(channel: "room", start: nil, end: nil, application: composed)
        try expect(count, equals: 1, "deleting in one application")
        try await expect(store.tokens(in: decomposed), equals: [5], "another application afterwards")
        await store.close()
    }

    func spellings() async throws {
        try await names([Identifier(composed), Identifier(decomposed), "K", "\u{212A}", "k"])
    }

    func patterns() async throws {
        try await names(["a.b", "a.*", "a.%", "a._", "a.?", "*", "%", "'; DROP TABLE message; --", "a.b-pnpres", "[a].b"])
    }

    /// Checks that the messages of channels with these names are separate.
    private func names(_ names: [Identifier]) async throws {
        let store = try await open()
        let tokens = Array(1...UInt64(names.count))
        for (name, token) in zip(names, tokens) { try await store.append(message(token, name)) }
        let counts = try await store.counts(Dictionary(uniqueKeysWithValues: names.map { ($0, 0) }), application: "app")
        for (index, name) in names.enumerated() {
            try await expect(store.tokens(of: name), equals: [tokens[index]], "the history of \(name)")
            try expect(counts[name], equals: 1, "the count of \(name)")
        }
        for (index, name) in names.enumerated() {
            let count = try await store.delete(channel: name, start: nil, end: nil, application: "app")
            try expect(count, equals: 1, "deleting \(name)")
            for (other, token) in zip(names, tokens).dropFirst(index + 1) {
                try await expect(store.tokens(of: other), equals: [token], "the history of \(other) after \(name) was deleted")
            }
        }
        await store.close()
    }
}
