import Identifiers
import ServerStorage

/// Keeps nothing and says so.
struct FailingStore: MessageStore {
    struct Failure: Error {}

    func restore() async throws -> RestoredState { throw Failure() }
    func append(
        _ message: StoredMessage, with change: MessageActionChange?, application: String,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        completion(Failure())
    }
    func reserve(timetokensUpTo limit: UInt64) async throws { throw Failure() }
    func history(_ query: HistoryQuery, application: String) async throws -> [StoredMessage] { throw Failure() }
    func counts(_ since: [Identifier: UInt64], application: String) async throws -> [Identifier: Int] { throw Failure() }
    func delete(channel: Identifier, start: UInt64?, end: UInt64?, application: String) async throws -> Int { throw Failure() }
    func save(group: Identifier, channels: [Identifier], application: String) async throws { throw Failure() }
    func save(access: [AccessEntry], removing: [AccessEntry.Key], application: String) async throws { throw Failure() }
    func close() async {}
}
