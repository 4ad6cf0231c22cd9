import Identifiers
import NIOConcurrencyHelpers
import ServerStorage

/// Keeps messages in memory until the process ends, and within limits (rule HB-41).
///
/// This is the store of a server that was started without a data directory. It loses all messages when the process ends. After a restart, a
/// reader whose cursor is from before the restart gets a gap report, because messages may be missing. Completions run before `append`
/// returns.
public final class InMemoryMessageStore: MessageStore {
    private let log: NIOLockedValueBox<MessageLog>
    private let now: @Sendable () -> UInt64

    /// Makes an empty store.
    ///
    /// - Parameters:
    ///   - limits: the limits of history.
    ///   - now: returns the current time in units of 100 ns, for messages that expire; called on the thread of the caller.
    public init(limits: MemoryLimits = MemoryLimits(), now: @escaping @Sendable () -> UInt64 = systemTicks) {
        log = NIOLockedValueBox(MessageLog(limits: limits))
        self.now = now
    }

    public func restore() async throws -> RestoredState { RestoredState() }

    public func append(
        _ message: StoredMessage, with change: MessageActionChange?, application: String,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        // A message that is not for the history is not stored here. Subscribers that catch up get such a message from the server's message
        // streams, which are in memory like this store.
        if message.isStored {
            let now = now()
            log.withLockedValue { $0.append(message, application: application, at: now) }
        }
        completion(nil)
    }

    /// Stores nothing, because the server keeps the keyset's records (such as metadata and memberships) in memory for as long as this store
    /// exists.
    public func commit(
        _ changes: [KeysetRecordChange], with messages: [StoredMessage], application: String,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        completion(nil)
    }

    public func reserve(timetokensUpTo limit: UInt64) async throws {}

    public func history(_ query: HistoryQuery, application: String) async throws -> [StoredMessage] {
        let now = now()
        return log.withLockedValue { $0.history(query, application: application, at: now) }
    }

    public func counts(_ since: [Identifier: UInt64], application: String) async throws -> [Identifier: Int] {
        let now = now()
        return log.withLockedValue { log in
            since.reduce(into: [:]) { counts, item in
                counts[item.key] = log.count(
                    channel: item.key, since: item.value, limit: countLimit, application: application, at: now)
            }
        }
    }

    /// Removes nothing, because the server keeps the actions in memory for as long as this store exists.
    public func remove(actions: [MessageAction], of channel: Identifier, application: String) async throws {}

    public func delete(channel: Identifier, start: UInt64?, end: UInt64?, application: String) async throws -> Int {
        guard let span = HistorySpan(start: start, end: end, isOldestFirst: true) else { return 0 }
        return log.withLockedValue { $0.delete(channel: channel, span, application: application) }
    }

    public func trim(_ limits: [Identifier: HistoryLimits]) async throws -> [Identifier: HistoryUsage] {
        limits.reduce(into: [:]) { usages, item in
            var removed = 0
            while true {
                let step = log.withLockedValue { $0.trim(item.key, item.value) }
                removed += step.usage.removed
                guard !step.isUnfinished else { continue }
                usages[item.key] = HistoryUsage(messages: step.usage.messages, bytes: step.usage.bytes, removed: removed)
                return
            }
        }
    }

    public func save(group: Identifier, channels: [Identifier], application: String) async throws {}

    public func save(access entries: [AccessEntry], removing keys: [AccessEntry.Key], application: String) async throws {}

    public func close() async {}
}

/// The largest number of messages that are counted for each channel.
let countLimit = 10_000
