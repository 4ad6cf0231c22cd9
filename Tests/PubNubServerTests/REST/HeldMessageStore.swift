import Identifiers
import NIOConcurrencyHelpers
import ServerStorage

@testable import LifelineServer
@testable import ServerTestSupport

/// Keeps nothing before it is told to.
final class HeldMessageStore: MessageStore {
    private let completions = NIOLockedValueBox<[@Sendable ((any Error)?) -> Void]>([])

    var waiting: Int { completions.withLockedValue(\.count) }

    /// Returns once at least so many changes wait.
    func hold(_ count: Int) async throws {
        while waiting < count {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    /// Ends the oldest change.
    func complete(_ isKept: Bool) {
        let completion = completions.withLockedValue { $0.isEmpty ? nil : $0.removeFirst() }
        completion?(isKept ? nil : RecordsNotSupported())
    }

    func commit(
        _ changes: [KeysetRecordChange], with messages: [StoredMessage], application: String,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        completions.withLockedValue { $0.append(completion) }
    }

    func append(
        _ message: StoredMessage, with change: MessageActionChange?, application: String,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) { completion(nil) }
    func restore() async throws -> RestoredState { RestoredState() }
    func reserve(timetokensUpTo limit: UInt64) async throws {}
    func history(_ query: HistoryQuery, application: String) async throws -> [StoredMessage] { [] }
    func counts(_ since: [Identifier: UInt64], application: String) async throws -> [Identifier: Int] { [:] }
    func delete(channel: Identifier, start: UInt64?, end: UInt64?, application: String) async throws -> Int { 0 }
    func save(group: Identifier, channels: [Identifier], application: String) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            completions.withLockedValue { completions in
                completions.append { continuation.resume(with: $0.map { .failure($0) } ?? .success(())) }
            }
        }
    }
    func save(access entries: [AccessEntry], removing keys: [AccessEntry.Key], application: String) async throws {}
    func close() async {}
}
