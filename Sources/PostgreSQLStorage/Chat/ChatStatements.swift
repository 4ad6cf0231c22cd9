import Foundation
import Identifiers
import ServerStorage

/// Converts the commits of the chat service, each a group of changes that are stored together, to SQL statements.
struct ChatStatements: PostgresItems {
    struct Item: Sendable {
        var commit: ChatCommit
        var application: String
        /// The encoded documents, in the order of the commit's documents.
        var documents: [[UInt8]]
    }

    /// The largest number of entries in a chat user's inbox. The oldest entries beyond it are deleted, several at a time.
    let inboxEntries: Int

    /// The number of entries by which an inbox may exceed ``inboxEntries`` before the excess is deleted in one step.
    static let trimStep: UInt64 = 64

    func cost(of item: Item) -> Int {
        let commit = item.commit
        let additions = commit.additions.reduce(0) { sum, addition in
            sum + addition.event.body.count + 48 * (addition.places.count + (addition.event.readers?.count ?? 0)) + 200
        }
        let rewrites = commit.rewrites.reduce(0) { $0 + $1.body.count + 32 }
        let marks = commit.recalls.count + commit.hidden.count + commit.hiddenUpTo.count + commit.receipts.count
        return 256 + additions + rewrites + 64 * (marks + commit.acknowledged.count)
            + item.documents.reduce(0) { $0 + $1.count + 256 } + 512 * commit.removedDocuments.count
    }

    func statements(for item: Item) -> [PostgresStatement] {
        let application = PostgresValue.text(item.application)
        return item.commit.additions.flatMap { add($0, application) } + change(item.commit, application)
            + mark(item.commit, application) + putDocuments(item, application)
    }

    func counts(of items: [Item]) -> [PostgresStatement] { EventUsageStatements.additions(items) }

    private func add(_ addition: ChatCommit.Addition, _ application: PostgresValue) -> [PostgresStatement] {
        let event = addition.event
        let id = PostgresValue.clamped(event.id)
        let own = addition.places.first { $0.user == event.sender }?.sequence
        var statements = [
            PostgresStatement(
                """
                INSERT INTO event (id, application, conversation, sender, client_id, own_sequence, audience, body)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
                """,
                [
                    id, application, .name(event.conversation), .name(event.sender), .name(event.clientID), .clamped(own),
                    .integer(Int64(event.audience)), .bytes(event.body),
                ])
        ]
        if event.conversation != nil, let readers = event.readers, !readers.isEmpty {
            statements.append(
                PostgresStatement(
                    "INSERT INTO reader (event, name) SELECT $1, unnest($2::bytea[]) ON CONFLICT DO NOTHING",
                    [id, .names(readers)]))
        }
        guard !addition.places.isEmpty else { return statements }
        let users = PostgresValue.names(addition.places.map(\.user))
        statements += [
            PostgresStatement(
                "INSERT INTO inbox (application, name) SELECT $1, unnest($2::bytea[]) ON CONFLICT DO NOTHING",
                [application, users]),
            PostgresStatement(
                """
                INSERT INTO inbox_entry (application, name, sequence, event)
                SELECT $1, name, sequence, $2 FROM unnest($3, $4) AS place (name, sequence)
                """, [application, id, users, .integers(addition.places.map { Int64(clamping: $0.sequence) })]),
        ]
        return statements + addition.places.compactMap { trim($0, application) }
    }

    private func trim(_ place: ChatInboxPlace, _ application: PostgresValue) -> PostgresStatement? {
        guard place.sequence > inboxEntries, place.sequence % Self.trimStep == 0 else { return nil }
        return PostgresStatement(
            "DELETE FROM inbox_entry WHERE application = $1 AND name = $2 AND sequence <= $3",
            [application, .name(place.user), .clamped(place.sequence - UInt64(inboxEntries))])
    }

    private func change(_ commit: ChatCommit, _ application: PostgresValue) -> [PostgresStatement] {
        let rewrites = commit.rewrites.map { rewrite in
            PostgresStatement(
                EventUsageStatements.rewrite, [.clamped(rewrite.id), application, .bytes(rewrite.body)])
        }
        let recalls = commit.recalls.flatMap { id in
            [
                PostgresStatement(EventUsageStatements.recall, [.clamped(id), application]),
                PostgresStatement(
                    """
                    DELETE FROM receipt WHERE event = $1 AND EXISTS (SELECT 1 FROM event WHERE id = $1 AND application = $2)
                    """, [.clamped(id), application]),
            ]
        }
        return rewrites + recalls
    }

    private func mark(_ commit: ChatCommit, _ application: PostgresValue) -> [PostgresStatement] {
        var statements: [PostgresStatement] = []
        for item in commit.hidden {
            statements.append(
                PostgresStatement(
                    """
                    INSERT INTO hidden (event, name) SELECT id, $3 FROM event WHERE id = $1 AND application = $2
                    ON CONFLICT DO NOTHING
                    """, [.clamped(item.id), application, .name(item.user)]))
        }
        for item in commit.hiddenUpTo {
            statements.append(
                PostgresStatement(
                    """
                    INSERT INTO hidden_up_to (application, name, conversation, event) SELECT $1, $2, $3, $4
                    WHERE EXISTS (SELECT 1 FROM event WHERE application = $1 AND conversation = $3)
                    ON CONFLICT (application, name, conversation)
                        DO UPDATE SET event = greatest(hidden_up_to.event, excluded.event)
                    """, [application, .name(item.user), .name(item.conversation), .clamped(item.id)]))
        }
        for (id, receipt) in commit.receipts {
            statements.append(
                PostgresStatement(
                    """
                    INSERT INTO receipt (event, reader, time) SELECT id, $3, $4 FROM event WHERE id = $1 AND application = $2
                    ON CONFLICT DO NOTHING
                    """, [.clamped(id), application, .name(receipt.user), .integer(receipt.time)]))
        }
        for place in commit.acknowledged {
            statements.append(
                PostgresStatement(
                    """
                    INSERT INTO inbox (application, name, acknowledged) VALUES ($1, $2, $3)
                    ON CONFLICT (application, name)
                        DO UPDATE SET acknowledged = greatest(inbox.acknowledged, excluded.acknowledged)
                    """, [application, .name(place.user), .clamped(place.sequence)]))
        }
        return statements
    }

    private func putDocuments(_ item: Item, _ application: PostgresValue) -> [PostgresStatement] {
        let put = zip(item.commit.documents, item.documents).map { document, value in
            PostgresStatement(
                """
                INSERT INTO document (application, kind, name, value) VALUES ($1, $2, $3, $4)
                ON CONFLICT (application, kind, name) DO UPDATE SET value = excluded.value
                """, [application, .text(document.key.kind.rawValue), .name(document.key.name), .bytes(value)])
        }
        let removed = item.commit.removedDocuments.map { key in
            PostgresStatement(
                "DELETE FROM document WHERE application = $1 AND kind = $2 AND name = $3",
                [application, .text(key.kind.rawValue), .name(key.name)])
        }
        return put + removed
    }
}
