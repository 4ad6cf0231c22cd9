import Identifiers
import ServerStorage
import ServerValues

/// The message store of a cluster in a PostgreSQL database (rules PG-21 to PG-24).
package final class PostgreSQLSharedMessageStore: SharedMessageStore {
    private let store: PostgreSQLMessageStore

    private init(_ store: PostgreSQLMessageStore) { self.store = store }

    /// Connects, and creates the tables or migrates them to this version.
    ///
    /// - Parameter cluster: the name of the cluster. A database belongs to one cluster.
    /// - Throws: the reason why the database cannot be used.
    package static func open(
        _ settings: PostgreSQLSettings, cluster: String, now: @escaping @Sendable () -> UInt64 = systemTicks
    ) async throws(PostgreSQLStoreError) -> PostgreSQLSharedMessageStore {
        var settings = settings
        settings.cluster = cluster
        return PostgreSQLSharedMessageStore(try await PostgreSQLMessageStore.open(settings, purgesInBackground: false, now: now))
    }

    /// The reason why the database cannot be used at present; nil while no reason is known.
    package var failure: PostgreSQLStoreError? { store.failure }

    package func begin(_ term: LeaderTerm) async throws -> any MessageStore {
        try await store.begin(term, purgesInBackground: term.partition == 0)
    }

    package func history(_ query: HistoryQuery, application: String) async throws -> [StoredMessage] {
        try await store.history(query, application: application)
    }

    package func counts(_ since: [Identifier: UInt64], application: String) async throws -> [Identifier: Int] {
        try await store.counts(since, application: application)
    }

    package func close() async { await store.close() }
}

/// The chat store of a cluster in a PostgreSQL database (rules PG-21 to PG-24).
package final class PostgreSQLSharedChatStore: SharedChatStore {
    private let store: PostgreSQLChatStore

    private init(_ store: PostgreSQLChatStore) { self.store = store }

    /// Connects, and creates the tables or migrates them to this version.
    ///
    /// - Parameter cluster: the name of the cluster. A database belongs to one cluster.
    /// - Throws: the reason why the database cannot be used.
    package static func open(
        _ settings: PostgreSQLSettings, cluster: String, now: @escaping @Sendable () -> UInt64 = systemTicks
    ) async throws(PostgreSQLStoreError) -> PostgreSQLSharedChatStore {
        var settings = settings
        settings.cluster = cluster
        return PostgreSQLSharedChatStore(try await PostgreSQLChatStore.open(settings, now: now))
    }

    /// The reason why the database cannot be used at present; nil while no reason is known.
    package var failure: PostgreSQLStoreError? { store.failure }

    package func begin(_ term: LeaderTerm) async throws -> any ChatStore {
        try await store.begin(term, purges: term.partition == 0)
    }

    package func close() async { await store.close() }
}
