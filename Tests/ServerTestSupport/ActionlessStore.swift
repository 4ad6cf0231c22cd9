import HubStorage
import Identifiers
import NIOConcurrencyHelpers
import ServerStorage

/// Keeps messages, but no message actions.
struct ActionlessStore: MessageStore {
    private let base = InMemoryMessageStore()
    var closed = NIOLockedValueBox(0)
    let restored = NIOLockedValueBox<[Set<Identifier>]>([])

    func append(
        _ message: StoredMessage, with change: MessageActionChange?, application: String,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        if change != nil { return completion(FailingStore.Failure()) }
        base.append(message, application: application, completion: completion)
    }

    func restore() async throws -> RestoredState { try await base.restore() }
    func restore(_ applications: Set<Identifier>) async throws -> RestoredState {
        restored.withLockedValue { $0.append(applications) }
        return try await base.restore(applications)
    }
    func reserve(timetokensUpTo limit: UInt64) async throws {}
    func history(_ query: HistoryQuery, application: String) async throws -> [StoredMessage] {
        try await base.history(query, application: application)
    }
    func counts(_ since: [Identifier: UInt64], application: String) async throws -> [Identifier: Int] { [:] }
    func delete(channel: Identifier, start: UInt64?, end: UInt64?, application: String) async throws -> Int { 0 }
    func save(group: Identifier, channels: [Identifier], application: String) async throws {}
    func save(access entries: [AccessEntry], removing keys: [AccessEntry.Key], application: String) async throws {}
    func close() async { closed.withLockedValue { $0 += 1 } }
}
