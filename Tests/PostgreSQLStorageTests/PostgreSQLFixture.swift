import Identifiers
import NIOConcurrencyHelpers
import PostgresTestSupport
import ServerStorage

@testable import PostgreSQLStorage

extension PostgreSQLSettings {
    /// A schema of a test's own in a server's database.
    init(_ server: PostgresProcess, schema: String = "lifeline") {
        self.init(url: server.url, schema: schema, poolSize: 2)
    }
}

func message(_ timetoken: UInt64, expires: UInt64? = nil) -> StoredMessage {
    StoredMessage(
        timetoken: timetoken, channel: "room", publisher: "ann", payload: Array("\"\(timetoken)\"".utf8), expires: expires)
}

extension MessageStore {
    /// Appends and waits for the outcome.
    func append(_ message: StoredMessage) async throws {
        let error: (any Error)? = await withCheckedContinuation { continuation in
            append(message, application: "app") { continuation.resume(returning: $0) }
        }
        if let error { throw error }
    }

    func tokens() async throws -> [UInt64] {
        try await history(HistoryQuery(channel: "room", limit: 100_000, isOldestFirst: true), application: "app").map(
            \.timetoken)
    }
}

/// A connection of the test's own, beside those of a store.
func connection(_ settings: PostgreSQLSettings) throws -> PostgresConnection {
    let connection = try PostgresConnection(settings, LibPQ())
    try connection.execute("SET search_path TO \(settings.quotedSchema)")
    return connection
}

/// Ends all connections of stores, as an operator or a failing server does.
func endOtherConnections(_ connection: PostgresConnection) throws {
    try connection.run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'lifeline' AND pid <> pg_backend_pid()"
    )
}
