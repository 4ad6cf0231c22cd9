import Identifiers
import ServerStorage

// Checks that a store enforces the limits for all messages in the histories of an application. A store that does not implement `trim`
// returns no usage, and must not delete anything.
extension MessageTrial {
    func limits() async throws {
        let store = try await open()
        // The test stores more messages than a store deletes in one step, in two channels and on several days. Among them are messages that
        // the limits do not concern, because they belong to another application or to no history.
        let day = 86_400 * TimetokenClock.ticksPerSecond
        let base = place.now()
        let tokens = (0..<2400 as Range<UInt64>).map { base + $0 * (day / 800) }
        for (index, token) in tokens.enumerated() {
            let room: Identifier = index.isMultiple(of: 3) ? "other" : "room"
            store.append(message(token, room, bytes: 10), application: "app") { _ in }
            if index.isMultiple(of: 5) { store.append(message(token + 1, isStored: false), application: "app") { _ in } }
            if index.isMultiple(of: 7) { store.append(message(token + 2), application: composed) { _ in } }
        }
        try await store.append(message(tokens.last.map { $0 + 3 } ?? 0), in: "none")
        let size = message(base, bytes: 10).contentBytes
        func left(_ count: Int) -> [UInt64] { Array(tokens.suffix(count)) }
        guard let all = try await store.trim(["app": HistoryLimits()])["app"] else {
            let kept = try await store.tokens().count + store.tokens(of: "other").count
            try expect(kept, equals: tokens.count, "counting the messages of a store without limits")
            return await store.close()
        }
        try expect(all, equals: HistoryUsage(messages: 2400, bytes: 2400 * size), "the usage of a history without limits")
        try await trimming(store, to: HistoryLimits(messages: 2399), leaves: left(2399), removed: 1, size: size)
        try await trimming(store, to: HistoryLimits(messages: 1000), leaves: left(1000), removed: 1399, size: size)
        // This limit is one byte too small for 901 messages, so 900 stay.
        try await trimming(store, to: HistoryLimits(bytes: 901 * size - 1), leaves: left(900), removed: 100, size: size)
        try await trimming(store, to: HistoryLimits(messages: 900, bytes: 900 * size), leaves: left(900), removed: 0, size: size)
        try await trimming(
            store, to: HistoryLimits(lowest: tokens[tokens.count - 500]), leaves: left(500), removed: 400, size: size)
        try await expect(store.tokens(in: composed).count, equals: 343, "counting the messages of another application")
        _ = try await store.delete(channel: "other", start: nil, end: nil, application: "app")
        let rest = try await store.tokens().count
        let usage = try await store.trim(["app": HistoryLimits()])
        try expect(usage, equals: ["app": HistoryUsage(messages: rest, bytes: rest * size)], "the usage after deleting a channel")
        let others = try await store.trim(["app": HistoryLimits(messages: 0), Identifier(composed): HistoryLimits(messages: 3)])
        try expect(others["app"], equals: HistoryUsage(removed: rest), "trimming to nothing")
        try expect(others[Identifier(composed)]?.messages, equals: 3, "trimming two applications")
        try await store.append(message(base + 40 * day, bytes: 10))
        let last = try await store.trim(["app": HistoryLimits(messages: 5), "unknown": HistoryLimits(messages: 1)])
        try expect(
            last, equals: ["app": HistoryUsage(messages: 1, bytes: size), "unknown": HistoryUsage()],
            "the usage of one message, and of an application without any")
        try await expect(store.tokens(), equals: [base + 40 * day], "the history afterwards")
        await store.close()
    }

    /// Trims the history, and compares the returned usage and the remaining messages of both channels.
    private func trimming(
        _ store: any MessageStore, to limits: HistoryLimits, leaves left: [UInt64], removed: Int, size: Int
    ) async throws {
        let usage = try await store.trim(["app": limits])
        try expect(
            usage, equals: ["app": HistoryUsage(messages: left.count, bytes: left.count * size, removed: removed)],
            "trimming to \(limits)")
        let found = try await (store.tokens() + store.tokens(of: "other")).sorted()
        try expect(found == left, "trimming to \(limits) left \(found.count) messages, or others than the newest \(left.count)")
    }
}
