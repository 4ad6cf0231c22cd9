import Foundation
import GRDB
import Identifiers
import NIOConcurrencyHelpers
import ServerStorage

/// Writes the commits of the chat store as rows of its SQLite database.
struct ChatRows: StoreRows {
    struct Item: Sendable {
        var commit: ChatCommit
        var application: String
    }

    /// The largest number of entries in a chat user's inbox. The oldest entries beyond it are deleted, several at a time.
    let inboxEntries: Int
    private let names = ChatNames()

    init(inboxEntries: Int) {
        self.inboxEntries = inboxEntries
    }

    func cost(of item: Item) -> Int {
        let commit = item.commit
        let additions = commit.additions.reduce(0) { sum, addition in
            sum + addition.event.body.count + 48 * (addition.places.count + (addition.event.readers?.count ?? 0)) + 200
        }
        let rewrites = commit.rewrites.reduce(0) { $0 + $1.body.count + 32 }
        let marks = commit.recalls.count + commit.hidden.count + commit.hiddenUpTo.count + commit.receipts.count
        return 256 + additions + rewrites + 64 * (marks + commit.acknowledged.count)
            + 512 * (commit.documents.count + commit.removedDocuments.count)
    }

    func transactionFailed() { names.forget() }

    func write(_ item: Item, into database: Database) throws {
        let commit = item.commit
        let application = try names.application(Identifier(item.application), database)
        for addition in commit.additions { try add(addition, of: application, in: database) }
        try change(commit, of: application, in: database)
        try mark(commit, of: application, in: database)
        try putDocuments(commit, of: application, in: database)
    }

    func count(_ items: [Item], into database: Database) throws {
        var additions: [HistoryDay: HistoryUsage] = [:]
        for item in items {
            for event in item.commit.additions.map(\.event) where event.conversation != nil {
                additions.count(item.application, timetoken: event.id, bytes: event.body.count)
            }
        }
        try EventUsage.add(additions, into: database) { try names.application(Identifier($0), database) }
    }

    private func add(_ addition: ChatCommit.Addition, of application: Int64, in database: Database) throws {
        let event = addition.event
        let conversation = try event.conversation.map { try names.conversation($0, of: application, in: database) }
        let own = addition.places.first { $0.user == event.sender }?.sequence
        try run(
            """
            INSERT INTO event (id, application, conversation, sender, client_id, own_sequence, audience, body)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                Int64(clamping: event.id), application, conversation, event.sender.text, event.clientID?.text,
                own.map { Int64(clamping: $0) }, event.audience, Data(event.body),
            ], in: database)
        for reader in event.conversation == nil ? [] : event.readers ?? [] {
            try run(
                "INSERT OR IGNORE INTO reader (event, inbox) VALUES (?, ?)",
                [Int64(clamping: event.id), try names.inbox(of: reader, application, database)], in: database)
        }
        for place in addition.places {
            let inbox = try names.inbox(of: place.user, application, database)
            try run(
                "INSERT INTO inbox_entry (inbox, sequence, event) VALUES (?, ?, ?)",
                [
                    inbox, Int64(clamping: place.sequence), Int64(clamping: event.id),
                ], in: database)
            try trim(inbox, upTo: place.sequence, database)
        }
    }

    /// The number of entries by which an inbox may exceed ``inboxEntries`` before they are deleted together.
    static let trimStep: UInt64 = 64

    private func trim(_ inbox: Int64, upTo sequence: UInt64, _ database: Database) throws {
        guard sequence > inboxEntries, sequence % Self.trimStep == 0 else { return }
        try run(
            "DELETE FROM inbox_entry WHERE inbox = ? AND sequence <= ?",
            [inbox, Int64(clamping: sequence - UInt64(inboxEntries))], in: database)
    }

    private func change(_ commit: ChatCommit, of application: Int64, in database: Database) throws {
        for rewrite in commit.rewrites {
            try run(
                "UPDATE event SET body = ? WHERE id = ? AND application = ?",
                [Data(rewrite.body), Int64(clamping: rewrite.id), application], in: database)
        }
        for id in commit.recalls {
            try run(
                "UPDATE event SET conversation = NULL WHERE id = ? AND application = ?", [Int64(clamping: id), application],
                in: database)
            guard database.changesCount > 0 else { continue }
            try run("DELETE FROM receipt WHERE event = ?", [Int64(clamping: id)], in: database)
        }
    }

    private func mark(_ commit: ChatCommit, of application: Int64, in database: Database) throws {
        for item in commit.hidden {
            try run(
                "INSERT OR IGNORE INTO hidden (event, inbox) SELECT id, ? FROM event WHERE id = ? AND application = ?",
                [try names.inbox(of: item.user, application, database), Int64(clamping: item.id), application], in: database)
        }
        for item in commit.hiddenUpTo {
            try run(
                """
                INSERT INTO hidden_up_to (inbox, conversation, event)
                SELECT ?, conversation.id, ? FROM conversation
                WHERE application = ? AND name = ? AND EXISTS (SELECT 1 FROM event WHERE event.conversation = conversation.id)
                ON CONFLICT (inbox, conversation) DO UPDATE SET event = max(event, excluded.event)
                """,
                [
                    try names.inbox(of: item.user, application, database), Int64(clamping: item.id), application,
                    item.conversation.text,
                ], in: database)
        }
        for (id, receipt) in commit.receipts {
            try run(
                """
                INSERT OR IGNORE INTO receipt (event, reader, time) SELECT id, ?, ? FROM event WHERE id = ? AND application = ?
                """, [receipt.user.text, receipt.time, Int64(clamping: id), application], in: database)
        }
        for place in commit.acknowledged {
            try run(
                "UPDATE inbox SET acknowledged = max(acknowledged, ?) WHERE id = ?",
                [Int64(clamping: place.sequence), try names.inbox(of: place.user, application, database)], in: database)
        }
    }

    private func putDocuments(_ commit: ChatCommit, of application: Int64, in database: Database) throws {
        let encoder = JSONEncoder()
        for document in commit.documents {
            let key = document.key
            try run(
                "INSERT OR REPLACE INTO document (application, kind, name, value) VALUES (?, ?, ?, ?)",
                [application, key.kind.rawValue, key.name.text, try encoder.encode(document)], in: database)
        }
        for key in commit.removedDocuments {
            try run(
                "DELETE FROM document WHERE application = ? AND kind = ? AND name = ?",
                [application, key.kind.rawValue, key.name.text], in: database)
        }
    }

    private func run(_ sql: String, _ arguments: StatementArguments, in database: Database) throws {
        let statement = try database.cachedStatement(sql: sql)
        statement.setUncheckedArguments(arguments)
        try statement.execute()
    }
}

/// Finds or assigns the row ids for the names of applications, inboxes and conversations. Found ids are cached.
private final class ChatNames: Sendable {
    private struct Name: Hashable, Sendable {
        var application: Int64
        var name: Identifier
    }

    private struct Known: Sendable {
        var applications: [Identifier: Int64] = [:]
        var inboxes: [Name: Int64] = [:]
        var conversations: [Name: Int64] = [:]
    }

    /// The largest number of cached names of each kind: applications, inboxes and conversations.
    private static let limit = 200_000

    private let known = NIOLockedValueBox(Known())

    /// Empties the cache, because row ids that were assigned in a failed transaction are invalid.
    func forget() { known.withLockedValue { $0 = Known() } }

    func application(_ name: Identifier, _ database: Database) throws -> Int64 {
        if let id = known.withLockedValue({ $0.applications[name] }) { return id }
        let id = try number(
            of: [name.text], selection: "SELECT id FROM application WHERE name = ?",
            insertion: "INSERT INTO application (name) VALUES (?)", database)
        known.withLockedValue { $0.applications[name] = id }
        return id
    }

    func inbox(of user: Identifier, _ application: Int64, _ database: Database) throws -> Int64 {
        let name = Name(application: application, name: user)
        if let id = known.withLockedValue({ $0.inboxes[name] }) { return id }
        let id = try number(
            of: [application, user.text], selection: "SELECT id FROM inbox WHERE application = ? AND name = ?",
            insertion: "INSERT INTO inbox (application, name) VALUES (?, ?)", database)
        known.withLockedValue { known in
            if known.inboxes.count >= Self.limit { known.inboxes.removeAll() }
            known.inboxes[name] = id
        }
        return id
    }

    func conversation(_ conversation: Identifier, of application: Int64, in database: Database) throws -> Int64 {
        let name = Name(application: application, name: conversation)
        if let id = known.withLockedValue({ $0.conversations[name] }) { return id }
        let id = try number(
            of: [application, conversation.text], selection: "SELECT id FROM conversation WHERE application = ? AND name = ?",
            insertion: "INSERT INTO conversation (application, name) VALUES (?, ?)", database)
        known.withLockedValue { known in
            if known.conversations.count >= Self.limit { known.conversations.removeAll() }
            known.conversations[name] = id
        }
        return id
    }

    private func number(
        of arguments: StatementArguments, selection: String, insertion: String, _ database: Database
    ) throws -> Int64 {
        if let id = try Int64.fetchOne(database.cachedStatement(sql: selection), arguments: arguments) { return id }
        try database.cachedStatement(sql: insertion).execute(arguments: arguments)
        return database.lastInsertedRowID
    }
}
