import Foundation
import PostgresTestSupport
import ServerStorage
import Testing

@testable import PostgreSQLStorage

@Suite(.enabled(if: PostgresProcess.isInstalled, "\(PostgresProcess.reason)"))
struct PostgreSQLOpeningTests {
    @Test(.timeLimit(.minutes(2)))
    func `PG-5 PG-6: one server at a time writes, and one that was replaced meanwhile does not write any more`() async throws {
        let server = try PostgresProcess()
        let settings = PostgreSQLSettings(server)
        let first = try await PostgreSQLMessageStore.open(settings)
        await #expect(throws: PostgreSQLStoreError.inUse(schema: "lifeline")) {
            _ = try await PostgreSQLMessageStore.open(settings)
        }
        // Another schema and the other store are free.
        let chat = try await PostgreSQLChatStore.open(settings)
        let other = try await PostgreSQLMessageStore.open(PostgreSQLSettings(server, schema: "other \"one\""))
        await other.close()
        await chat.close()
        // As another server does that has the right after this one's connection has ended.
        let connection = try connection(settings)
        try connection.run("UPDATE store SET generation = generation + 1 WHERE part = 'messages'")
        try endOtherConnections(connection)
        while (try? await first.append(message(1))) != nil {}
        await #expect(throws: PostgreSQLStoreError.replaced(schema: "lifeline")) { try await first.append(message(2)) }
        await first.close()
    }

    @Test(.timeLimit(.minutes(2)))
    func `PG-7 PG-8: tables of a newer version and of other programs are refused and left alone`() async throws {
        let server = try PostgresProcess.shared()
        let settings = PostgreSQLSettings(server, schema: "versions")
        await (try await PostgreSQLMessageStore.open(settings)).close()
        let connection = try connection(settings)
        try connection.run("UPDATE store SET version = 99")
        await #expect(throws: PostgreSQLStoreError.newer(schema: "versions")) {
            _ = try await PostgreSQLMessageStore.open(settings)
        }
        #expect(try connection.run("SELECT version FROM store").integer(0, 0) == 99)
        let foreign = PostgreSQLSettings(server, schema: "foreign")
        try connection.execute("CREATE SCHEMA \"foreign\"; CREATE TABLE \"foreign\".customer (id int8)")
        await #expect(throws: PostgreSQLStoreError.foreign(schema: "foreign")) {
            _ = try await PostgreSQLMessageStore.open(foreign)
        }
        // An empty schema that exists already is used, as for a user who must not create one.
        try connection.execute("CREATE SCHEMA ready")
        await (try await PostgreSQLMessageStore.open(PostgreSQLSettings(server, schema: "ready"))).close()
    }

    @Test(.timeLimit(.minutes(2)))
    func `PG-9: a password comes from a file for each connection, and is in no error`() async throws {
        let broken = PostgreSQLSettings(url: "postgres://ann:s3cret@[::1/db")
        await #expect(throws: PostgreSQLStoreError.invalidAddress) { _ = try await PostgreSQLMessageStore.open(broken) }
        let away = PostgreSQLSettings(url: "postgres://ann:s3cret@127.0.0.1:1/db")
        let error = await #expect(throws: PostgreSQLStoreError.self) { _ = try await PostgreSQLMessageStore.open(away) }
        #expect(error?.description.contains("s3cret") == false)
        let server = try PostgresProcess()
        var settings = PostgreSQLSettings(server)
        let administrator = try connection(settings)
        try administrator.execute("CREATE ROLE bob LOGIN SUPERUSER PASSWORD 'a b'")
        let access = server.folder.appendingPathComponent("data/pg_hba.conf")
        try "host all bob 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n".write(
            to: access, atomically: false, encoding: .utf8)
        try administrator.run("SELECT pg_reload_conf()")
        let file = server.folder.appendingPathComponent("password")
        settings.url = "postgres://bob@127.0.0.1:\(server.port)/postgres"
        settings.passwordFile = file.path
        let missing = await #expect(throws: PostgreSQLStoreError.self) { _ = try await PostgreSQLMessageStore.open(settings) }
        #expect(missing?.description.contains(file.path) == true)
        try "a b\n".write(to: file, atomically: true, encoding: .utf8)
        await (try await PostgreSQLMessageStore.open(settings)).close()
    }

    @Test(.timeLimit(.minutes(2)))
    func `PG-14: expired messages and those outside of the history are deleted`() async throws {
        let server = try PostgresProcess.shared()
        let settings = PostgreSQLSettings(server, schema: "purging")
        let store = try await PostgreSQLMessageStore.open(settings, purgesInBackground: false, now: { 1_000_000_000_000 })
        try await store.append(message(1, expires: 1_000_000_000_000))
        try await store.append(message(2, expires: 1_000_000_000_001))
        try await store.append(message(3))
        var loose = message(4)
        loose.isStored = false
        try await store.append(loose)
        #expect(try await store.purge() == 2)
        #expect(try await store.purge() == 0)
        let rows = try connection(settings).run("SELECT timetoken FROM message ORDER BY timetoken")
        #expect((0..<rows.count).map { rows.integer($0, 0) } == [2, 3])
        await store.close()
    }

    @Test func `PG-30: the messages of a group are counted with one statement`() {
        let items = (1...1000 as ClosedRange<UInt64>).map { MessageStatements.Item.message(message($0), nil, application: "app") }
        #expect(MessageStatements(catchUp: 0).counts(of: items).count == 1)
    }

    @Test func `PG-15: arrays and NULL have the binary format of the protocol`() {
        #expect(PostgresValue.integer(nil).encoded == nil)
        #expect(PostgresValue.integer(-2).encoded == [255, 255, 255, 255, 255, 255, 255, 254])
        #expect(PostgresValue.byteArrays([]).encoded == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 17])
        #expect(
            PostgresValue.byteArrays([[7]]).encoded
                == [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 17, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 7])
    }
}
