import PostgresTestSupport
import ServerStorage
import Testing

@testable import PostgreSQLStorage

@Suite(.enabled(if: PostgresProcess.isInstalled, "\(PostgresProcess.reason)"), .timeLimit(.minutes(2)))
struct PostgreSQLApplicationStoreTests {
    @Test func `PG-20: entries are kept, replaced and deleted`() async throws {
        let server = try PostgresProcess.shared()
        defer { withExtendedLifetime(server) {} }
        let settings = PostgreSQLSettings(server, schema: "applications")
        var store = try await PostgreSQLApplicationStore.open(settings)
        #expect(try await store.load() == StoredApplications())
        #expect(try await store.write([1, 0, 255], name: "pusher/7", after: 0) == 1)
        #expect(try await store.write([2], name: "chat/c", after: 1) == 2)
        #expect(try await store.write([3], name: "chat/c", after: 2) == 3)
        await store.close()
        store = try await PostgreSQLApplicationStore.open(settings)
        #expect(
            try await store.load() == StoredApplications(version: 3, entries: ["pusher/7": [1, 0, 255], "chat/c": [3]]))
        #expect(try await store.write(nil, name: "chat/c", after: 3) == 4)
        #expect(try await store.load() == StoredApplications(version: 4, entries: ["pusher/7": [1, 0, 255]]))
        await store.close()
    }

    @Test func `PG-20 AR-13: a change after an unknown one writes nothing`() async throws {
        let server = try PostgresProcess.shared()
        defer { withExtendedLifetime(server) {} }
        let settings = PostgreSQLSettings(server, schema: "changes")
        let store = try await PostgreSQLApplicationStore.open(settings)
        #expect(try await store.write([1], name: "chat/c", after: 0) == 1)
        #expect(try await store.write([2], name: "chat/c", after: 0) == nil)
        #expect(try await store.write(nil, name: "chat/c", after: 2) == nil)
        #expect(try await store.load() == StoredApplications(version: 1, entries: ["chat/c": [1]]))
        #expect(try await store.version() == 1)
        await store.close()
    }

    @Test func `PG-20: one server at a time uses the tables, which the other stores do not need`() async throws {
        let server = try PostgresProcess.shared()
        defer { withExtendedLifetime(server) {} }
        let settings = PostgreSQLSettings(server, schema: "one at a time")
        let store = try await PostgreSQLApplicationStore.open(settings)
        let messages = try await PostgreSQLMessageStore.open(settings)
        await #expect(throws: PostgreSQLStoreError.inUse(schema: "one at a time")) {
            _ = try await PostgreSQLApplicationStore.open(settings)
        }
        await messages.close()
        await store.close()
    }

    @Test func `PG-11 PG-20: without the server calls fail at once, and succeed when it is back`() async throws {
        let server = try PostgresProcess()
        let store = try await PostgreSQLApplicationStore.open(PostgreSQLSettings(server))
        #expect(try await store.write([1], name: "chat/c", after: 0) == 1)
        server.stop()
        await #expect(throws: PostgreSQLStoreError.self) { try await store.write([2], name: "chat/c", after: 1) }
        await #expect(throws: PostgreSQLStoreError.self) { try await store.version() }
        try server.start()
        while (try? await store.version()) == nil { await Task.yield() }
        #expect(try await store.load() == StoredApplications(version: 1, entries: ["chat/c": [1]]))
        await store.close()
    }
}
