import ChatServer
import HubStorage
import Identifiers
import NIOConcurrencyHelpers
import PubNubServer
import ServerStorage

/// The latest copy of what a store has written, as long as nothing else was written and the time is the same.
private actor LatestCopy<Store: Sendable> {
    private nonisolated let changes = NIOLockedValueBox(0)
    private var made: (changes: Int, time: UInt64, store: Store)?
    private let make: @Sendable (UInt64) async throws -> Store
    private let end: @Sendable (Store) async -> Void

    init(_ make: @escaping @Sendable (UInt64) async throws -> Store, end: @escaping @Sendable (Store) async -> Void) {
        self.make = make
        self.end = end
    }

    /// Called before each change.
    nonisolated func expire() { changes.withLockedValue { $0 += 1 } }

    func store(at time: UInt64) async throws -> Store {
        let now = changes.withLockedValue { $0 }
        if let made, made.changes == now, made.time == time { return made.store }
        await close()
        let store = try await make(time)
        made = (now, time, store)
        return store
    }

    func close() async {
        guard let former = made else { return }
        made = nil
        await end(former.store)
    }
}

/// A store that writes to Redis, and reads from a copy of Redis in a directory. So the rules of stores hold for copies.
final class CopiedMessageStore: MessageStore {
    private let store: RedisMessageStore
    private let latest: LatestCopy<SQLiteMessageStore>
    private let now: @Sendable () -> UInt64

    init(_ redis: CopiedRedis, recentBytes: Int, now: @escaping @Sendable () -> UInt64) async throws {
        let store = redis.messages(settings: RedisStoreSettings(recentBytes: recentBytes), now: now)
        // What a leader knows of the last one.
        _ = try await store.restore()
        self.store = store
        self.now = now
        latest = LatestCopy { time in
            // Everything that was written before is in Redis then.
            try await store.save(access: [], removing: [], application: "settled")
            let directory = try await redis.copy([.messages], at: time) { try await store.copy(to: $0) }
            return try SQLiteMessageStore(directory: directory, settings: StoreSettings(recentBytes: recentBytes), now: now)
        } end: {
            await $0.close()
        }
    }

    private var copy: SQLiteMessageStore { get async throws { try await latest.store(at: now()) } }

    func restore() async throws -> RestoredState { try await copy.restore() }
    func restore(_ applications: Set<Identifier>) async throws -> RestoredState { try await copy.restore(applications) }
    func history(_ query: HistoryQuery, application: String) async throws -> [StoredMessage] {
        try await copy.history(query, application: application)
    }
    func counts(_ since: [Identifier: UInt64], application: String) async throws -> [Identifier: Int] {
        try await copy.counts(since, application: application)
    }

    func append(
        _ message: StoredMessage, with change: MessageActionChange?, application: String,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        latest.expire()
        store.append(message, with: change, application: application, completion: completion)
    }
    func commit(
        _ changes: [KeysetRecordChange], with messages: [StoredMessage], application: String,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        latest.expire()
        store.commit(changes, with: messages, application: application, completion: completion)
    }
    func reserve(timetokensUpTo limit: UInt64) async throws {
        latest.expire()
        try await store.reserve(timetokensUpTo: limit)
    }
    func remove(actions: [MessageAction], of channel: Identifier, application: String) async throws {
        latest.expire()
        try await store.remove(actions: actions, of: channel, application: application)
    }
    func delete(channel: Identifier, start: UInt64?, end: UInt64?, application: String) async throws -> Int {
        latest.expire()
        return try await store.delete(channel: channel, start: start, end: end, application: application)
    }
    func save(group: Identifier, channels: [Identifier], application: String) async throws {
        latest.expire()
        try await store.save(group: group, channels: channels, application: application)
    }
    func save(access entries: [AccessEntry], removing keys: [AccessEntry.Key], application: String) async throws {
        latest.expire()
        try await store.save(access: entries, removing: keys, application: application)
    }
    func close() async {
        await store.close()
        await latest.close()
    }
}

/// The same for chat.
final class CopiedChatStore: ChatStore {
    private let store: RedisChatStore
    private let latest: LatestCopy<SQLiteChatStore>
    private let now: @Sendable () -> UInt64

    init(_ redis: CopiedRedis, now: @escaping @Sendable () -> UInt64) async throws {
        let store = redis.chat(now: now)
        _ = try await store.restore()
        self.store = store
        self.now = now
        latest = LatestCopy { time in
            // Waits for the changes before.
            _ = try await store.receipts(of: [], application: "app")
            let directory = try await redis.copy([.chat], at: time) { _ = try await store.copy(to: $0) }
            return try SQLiteChatStore(directory: directory, now: now)
        } end: {
            await $0.close()
        }
    }

    private var copy: SQLiteChatStore { get async throws { try await latest.store(at: now()) } }

    func restore() async throws -> RestoredChat {
        var restored = try await copy.restore()
        // Without an application the copy is another life.
        restored.epoch = try await store.restore([]).epoch
        return restored
    }
    func restore(_ applications: Set<Identifier>) async throws -> RestoredChat { try await copy.restore(applications) }
    func inbox(of user: Identifier, after sequence: UInt64, limit: Int, application: String) async throws -> [ChatInboxEntry] {
        try await copy.inbox(of: user, after: sequence, limit: limit, application: application)
    }
    func history(_ query: ChatHistoryQuery, application: String) async throws -> [ChatEvent] {
        try await copy.history(query, application: application)
    }
    func event(_ id: UInt64, in conversation: Identifier, application: String) async throws -> ChatEvent? {
        try await copy.event(id, in: conversation, application: application)
    }
    func receipts(of ids: [UInt64], application: String) async throws -> [UInt64: [ChatReceipt]] {
        try await copy.receipts(of: ids, application: application)
    }

    func commit(_ commit: ChatCommit, application: String, completion: @escaping @Sendable ((any Error)?) -> Void) {
        latest.expire()
        store.commit(commit, application: application, completion: completion)
    }
    func reserve(idsUpTo limit: UInt64) async throws {
        latest.expire()
        try await store.reserve(idsUpTo: limit)
    }
    func purge(inboxBefore inbox: UInt64, historyBefore history: UInt64) async throws {
        latest.expire()
        try await store.purge(inboxBefore: inbox, historyBefore: history)
    }
    func close() async {
        await store.close()
        await latest.close()
    }
}
