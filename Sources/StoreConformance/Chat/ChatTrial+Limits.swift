import Identifiers
import ServerStorage

// Checks that a store enforces the limits for all messages in the histories of an application. A store that does not implement `trim`
// returns no usage, and must not remove anything.
extension ChatTrial {
    func limits() async throws {
        let store = try await open()
        for id in 1...1300 as ClosedRange<UInt64> {
            let room: Identifier? = id.isMultiple(of: 13) ? nil : id.isMultiple(of: 3) ? "other" : "room"
            store.commit(ChatCommit(event(id, room, body: "four"), to: [("bob", id)]), application: "app") { _ in }
        }
        for id in 2001...2130 as ClosedRange<UInt64> { store.commit(ChatCommit(event(id)), application: composed) { _ in } }
        try await store.commit { commit in
            commit.recalls = [1299, 26]
            commit.rewrites = [(1298, Array("longer".utf8)), (1287, Array("none".utf8))]
            commit.receipts = [(1, ChatReceipt(user: "bob", time: 1)), (1298, ChatReceipt(user: "bob", time: 1))]
        }
        let kept = (1...1300 as ClosedRange<UInt64>).filter { !$0.isMultiple(of: 13) && $0 != 1299 }
        guard let all = try await store.trim(["app": HistoryLimits()])["app"] else {
            let left = try await store.ids().count + store.ids(of: "other").count
            try expect(left, equals: kept.count, "counting the messages of a store without limits")
            return await store.close()
        }
        try expect(all, equals: HistoryUsage(messages: 1199, bytes: 4 * 1199 + 2), "the usage of a history without limits")
        try await trimming(store, to: HistoryLimits(messages: 500), leaves: kept.suffix(500), removed: 699, bytes: 2002)
        try await trimming(store, to: HistoryLimits(bytes: 1602), leaves: kept.suffix(400), removed: 100, bytes: 1602)
        try await trimming(
            store, to: HistoryLimits(lowest: kept[kept.count - 300]), leaves: kept.suffix(300), removed: 100, bytes: 1202)
        try await expect(store.inbox("bob").count, equals: 1300, "counting an inbox, which keeps what histories do not,")
        try await expect(
            store.receipts(of: [1, 1298], application: "app").keys.sorted(), equals: [1298],
            "the receipts of a message that was removed")
        try await expect(store.ids(in: composed).count, equals: 130, "counting the messages of another application")
        try await store.purge(inboxBefore: 1290, historyBefore: 1290)
        let usage = try await store.trim(["app": HistoryLimits(), "unknown": HistoryLimits(messages: 1)])
        let rest = kept.filter { $0 >= 1290 }.count
        try expect(
            usage, equals: ["app": HistoryUsage(messages: rest, bytes: 4 * rest + 2), "unknown": HistoryUsage()],
            "the usage after purging")
        await store.close()
    }

    /// Trims the histories, and compares the returned usage and the remaining messages of both conversations.
    private func trimming(
        _ store: any ChatStore, to limits: HistoryLimits, leaves left: ArraySlice<UInt64>, removed: Int, bytes: Int
    ) async throws {
        let usage = try await store.trim(["app": limits])
        try expect(
            usage, equals: ["app": HistoryUsage(messages: left.count, bytes: bytes, removed: removed)], "trimming to \(limits)")
        let found = try await (store.ids() + store.ids(of: "other")).sorted()
        try expect(found == Array(left), "trimming to \(limits) left \(found.count) messages, or others than the newest ones")
    }
}
