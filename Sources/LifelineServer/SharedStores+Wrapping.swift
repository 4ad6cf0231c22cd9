import Identifiers
import Logging
import ServerStorage

/// A shared message store that measures the times of another store, and logs why a leader cannot begin its term.
struct TimedSharedMessageStore: SharedMessageStore {
    let store: any SharedMessageStore
    let times: StoreTimes
    let logger: Logger

    func begin(_ term: LeaderTerm) async throws -> any MessageStore {
        try await logger.noting(term) { TimedMessageStore(store: try await store.begin(term), times: times) }
    }

    func history(_ query: HistoryQuery, application: String) async throws -> [StoredMessage] {
        try await times.timingRead { try await store.history(query, application: application) }
    }

    func counts(_ since: [Identifier: UInt64], application: String) async throws -> [Identifier: Int] {
        try await times.timingRead { try await store.counts(since, application: application) }
    }

    func close() async { await store.close() }
}

/// A shared chat store that logs why a leader cannot begin its term.
struct LoggedSharedChatStore: SharedChatStore {
    let store: any SharedChatStore
    let logger: Logger

    func begin(_ term: LeaderTerm) async throws -> any ChatStore {
        try await logger.noting(term) { try await store.begin(term) }
    }

    func close() async { await store.close() }
}

extension Logger {
    /// Runs `body`, which begins a leader's term, and logs its error. Errors of stores contain neither passwords nor messages.
    fileprivate func noting<Value>(_ term: LeaderTerm, _ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch {
            self.error(
                "this node cannot become the leader: the database refuses it",
                metadata: ["partition": "\(term.partition)", "cause": "\(error)"])
            throw error
        }
    }
}
