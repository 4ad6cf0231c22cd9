import Identifiers
import ServerCluster
import ServerStorage

/// The store of a leader with a database beside Redis. The database has all durable data, and saves a change before it is published (rule
/// CC-35).
struct LastingChatStore: ChatStore {
    /// The database, opened for this leader's term.
    let store: any ChatStore
    let output: any ClusterOutput
    /// Whether an application belongs to the leader's partition. Applications of other partitions are restored empty, because other leaders
    /// decide their requests.
    let owns: @Sendable (Identifier) -> Bool

    func restore() async throws -> RestoredChat { try await own(store.restore()) }

    func restore(_ applications: Set<Identifier>) async throws -> RestoredChat {
        try await own(store.restore(applications.filter(owns)))
    }

    private func own(_ restored: RestoredChat) -> RestoredChat {
        var own = restored
        own.applications = own.applications.filter { owns($0.key) }
        // The store does not count as new, because an earlier leader may have accepted requests without reserving ids.
        own.isFirstStart = false
        return own
    }

    /// The log entries that `completion` makes, including the answer to the request, are written as one entry.
    func commit(_ commit: ChatCommit, application: String, completion: @escaping @Sendable ((any Error)?) -> Void) {
        store.commit(commit, application: application) { [output] error in output.perform { completion(error) } }
    }

    func reserve(idsUpTo limit: UInt64) async throws { try await store.reserve(idsUpTo: limit) }

    func inbox(of user: Identifier, after sequence: UInt64, limit: Int, application: String) async throws -> [ChatInboxEntry] {
        try await store.inbox(of: user, after: sequence, limit: limit, application: application)
    }

    func history(_ query: ChatHistoryQuery, application: String) async throws -> [ChatEvent] {
        try await store.history(query, application: application)
    }

    func event(_ id: UInt64, in conversation: Identifier, application: String) async throws -> ChatEvent? {
        try await store.event(id, in: conversation, application: application)
    }

    func receipts(of ids: [UInt64], application: String) async throws -> [UInt64: [ChatReceipt]] {
        try await store.receipts(of: ids, application: application)
    }

    func purge(inboxBefore inbox: UInt64, historyBefore history: UInt64) async throws {
        try await store.purge(inboxBefore: inbox, historyBefore: history)
    }

    func trim(_ limits: [Identifier: HistoryLimits]) async throws -> [Identifier: HistoryUsage] {
        try await store.trim(limits.filter { owns($0.key) })
    }

    func close() async { await store.close() }
}
