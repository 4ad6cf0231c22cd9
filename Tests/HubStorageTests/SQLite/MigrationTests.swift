import Foundation
import GRDB
import HubStorage
import Identifiers
import ServerStorage
import Testing

@Suite("Databases of earlier versions (HB-67)")
struct MigrationTests {
    private let scratch = Scratch()

    /// The database as the first version made it, word for word.
    private static let first = """
        PRAGMA application_id = 1279870540;
        CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
        INSERT INTO grdb_migrations VALUES ('1 messages, groups, reservations');
        CREATE TABLE message (
            application TEXT NOT NULL, channel TEXT NOT NULL, timetoken INTEGER NOT NULL, publisher TEXT,
            payload BLOB NOT NULL, metadata BLOB, kind INTEGER NOT NULL, custom_type TEXT, sequence INTEGER,
            origination INTEGER, stored INTEGER NOT NULL, expires INTEGER,
            PRIMARY KEY (application, channel, timetoken)
        ) WITHOUT ROWID;
        CREATE INDEX message_timetoken ON message (timetoken);
        CREATE INDEX message_expires ON message (expires) WHERE expires IS NOT NULL;
        CREATE TABLE group_channel (
            application TEXT NOT NULL, name TEXT NOT NULL, position INTEGER NOT NULL, channel TEXT NOT NULL,
            PRIMARY KEY (application, name, position)
        ) WITHOUT ROWID;
        CREATE TABLE reservation (id INTEGER PRIMARY KEY CHECK (id = 1), timetoken INTEGER NOT NULL);
        INSERT INTO reservation VALUES (1, 20000000500);
        INSERT INTO group_channel VALUES ('demo', 'g', 0, 'a');
        INSERT INTO message VALUES ('demo', 'a', 20000000001, 'ann', x'31', NULL, 0, NULL, NULL, NULL, 1, NULL);
        INSERT INTO message VALUES ('access:other', 'a', 20000000002, 'ann', x'32', NULL, 0, NULL, NULL, NULL, 1, NULL);
        """

    private func open() throws -> SQLiteMessageStore {
        try SQLiteMessageStore(directory: scratch.path, now: { 20_000_000_000 })
    }

    /// Writes a database of the first version with a journal of grants in its hidden application.
    private func write(journal: [String]) throws {
        try FileManager.default.createDirectory(atPath: scratch.path, withIntermediateDirectories: true)
        let queue = try DatabaseQueue(path: scratch.path + "/lifeline.sqlite")
        try queue.writeWithoutTransaction { database in
            try database.execute(sql: Self.first)
            for (index, payload) in journal.enumerated() {
                try database.execute(
                    sql: "INSERT INTO message VALUES ('access:demo', 'journal', ?, NULL, ?, NULL, 0, NULL, NULL, NULL, 1, NULL)",
                    arguments: [19_000_000_000 + index, Data(payload.utf8)])
            }
        }
        try queue.close()
    }

    @Test("Grants and revocations of the first version move into their table, and everything else stays")
    func journal() async throws {
        try write(journal: [
            #"[{"on":"channel","name":"a","auth":"k","rights":1,"ttl":5,"until":9000},{"on":"channel","name":"café","rights":3,"ttl":0}]"#,
            #"[{"revoked":[0,15,171],"until":9000},{"on":"everything","rights":2,"ttl":0}]"#, "no journal at all",
            #"[{"on":"group","name":"g","rights":4,"ttl":1,"until":1999},{"on":"user","name":"u","auth":"k","rights":64,"ttl":0}]"#,
            #"[{"on":"something new","rights":1,"ttl":0},{"on":"channel","name":"a","auth":"k","rights":9,"ttl":6,"until":9001}]"#,
        ])
        for _ in 0..<2 {
            let store = try open()
            let state = try await store.restore()
            let channel = AccessEntry.Key(.channel, "a", holder: "k")
            let expected = [
                AccessEntry(channel, rights: 9, ttl: 6, expires: 9001), AccessEntry(.init(.channel, "café"), rights: 3),
                AccessEntry(.init(.revokedToken, "000fab"), expires: 9000), AccessEntry(.init(.everything), rights: 2),
                AccessEntry(.init(.user, "u", holder: "k"), rights: 64),
            ]
            #expect(state.access == ["demo": expected])
            #expect(state.groups == ["demo": ["g": ["a"]]] && state.actions.isEmpty && state.highestTimetoken >= 20_000_000_002)
            #expect(
                try await store.history(HistoryQuery(channel: "a", limit: 9), application: "demo").map(\.timetoken) == [
                    20_000_000_001
                ])
            #expect(try await store.history(HistoryQuery(channel: "a", limit: 9), application: "access:other").count == 1)
            #expect(try await store.history(HistoryQuery(channel: "journal", limit: 9), application: "access:demo").isEmpty)
            await store.close()
        }
    }

    @Test func `SO-165: the messages of a database of an earlier version are counted, and a restart changes no count`()
        async throws
    {
        try write(journal: [])
        for count in 1...2 {
            let store = try open()
            let usages = try await store.trim(["demo": HistoryLimits(), "access:other": HistoryLimits(), "none": HistoryLimits()])
            #expect(
                usages == [
                    "demo": HistoryUsage(messages: count, bytes: count == 1 ? 1 : 13),
                    "access:other": HistoryUsage(messages: 1, bytes: 1), "none": HistoryUsage(),
                ])
            await withCheckedContinuation { continuation in
                var message = message(20_000_000_600, "b")
                message.payload = Array("\"0123456789\"".utf8)
                store.append(message, application: "demo") { _ in continuation.resume() }
            }
            await store.close()
        }
    }

    @Test("A database of the first version without grants takes actions and grants")
    func empty() async throws {
        try write(journal: [])
        let action = MessageAction(type: "t", value: "v", user: "u", message: 20_000_000_001, timetoken: 20_000_000_600)
        var store = try open()
        let event = message(20_000_000_600, "a", stored: false)
        await withCheckedContinuation { continuation in
            store.append(event, with: .added(action), application: "demo") { error in
                #expect(error == nil)
                continuation.resume()
            }
        }
        try await store.save(access: [AccessEntry(.init(.everything), rights: 1)], removing: [], application: "demo")
        await store.close()
        store = try open()
        let state = try await store.restore()
        #expect(state.actions == ["demo": ["a": [action]]] && state.access["demo"]?.count == 1)
        await store.close()
    }
}
