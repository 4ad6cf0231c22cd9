import Identifiers
import ServerStorage

/// The store of keyset replicas. It is empty, because the leader stores everything. With a database beside Redis, this store reads
/// histories from the database.
struct ReplicaStore: MessageStore {
    var lasting: (any SharedMessageStore)?

    struct NotDecidedHere: Error, Hashable, Sendable {}

    /// Returns an empty state that counts as durable. So the message streams have the same region as those of the leader.
    func restore() async throws -> RestoredState { Self.nothing }
    func restore(_ applications: Set<Identifier>) async throws -> RestoredState { Self.nothing }
    static let nothing = RestoredState(remembersStream: true)

    func append(
        _ message: StoredMessage, with change: MessageActionChange?, application: String,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        completion(NotDecidedHere())
    }

    func commit(
        _ changes: [KeysetRecordChange], with messages: [StoredMessage], application: String,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        completion(NotDecidedHere())
    }

    /// Does nothing, because a replica assigns no timetokens.
    func reserve(timetokensUpTo limit: UInt64) async throws {}

    func history(_ query: HistoryQuery, application: String) async throws -> [StoredMessage] {
        guard let lasting else { throw NotDecidedHere() }
        return try await lasting.history(query, application: application)
    }

    func counts(_ since: [Identifier: UInt64], application: String) async throws -> [Identifier: Int] {
        guard let lasting else { throw NotDecidedHere() }
        return try await lasting.counts(since, application: application)
    }

    func remove(actions: [MessageAction], of channel: Identifier, application: String) async throws { throw NotDecidedHere() }
    func delete(channel: Identifier, start: UInt64?, end: UInt64?, application: String) async throws -> Int {
        throw NotDecidedHere()
    }
    func save(group: Identifier, channels: [Identifier], application: String) async throws { throw NotDecidedHere() }
    func save(access entries: [AccessEntry], removing keys: [AccessEntry.Key], application: String) async throws {
        throw NotDecidedHere()
    }
    func close() async {}
}
