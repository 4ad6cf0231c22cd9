import PostgreSQLStorage
import PostgresTestSupport
import ServerStorage
import StoreConformance
import Testing

@Suite(.enabled(if: PostgresProcess.isInstalled, "\(PostgresProcess.reason)"))
struct PostgreSQLConformanceTests {
    @Test(.timeLimit(.minutes(5)))
    func `PG-1: the message store fulfils every rule for message stores`() async throws {
        let server = try PostgresProcess.shared()
        for rule in MessageStoreRule.allCases {
            await #expect(throws: Never.self) {
                try await rule.check { place in
                    try await PostgreSQLMessageStore.open(PostgreSQLSettings(server, place), now: place.now)
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `PG-2: the chat store fulfils every rule for chat stores`() async throws {
        let server = try PostgresProcess.shared()
        for rule in ChatStoreRule.allCases {
            await #expect(throws: Never.self) {
                try await rule.check { place in
                    try await PostgreSQLChatStore.open(PostgreSQLSettings(server, place), now: place.now)
                }
            }
        }
    }
}

extension PostgreSQLSettings {
    /// A store as rules want it: a schema for each place.
    init(_ server: PostgresProcess, _ place: StorePlace) {
        self.init(url: server.url, schema: place.name, poolSize: 2, recentBytes: place.restoredBytes)
    }
}
