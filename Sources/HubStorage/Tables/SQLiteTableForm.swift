import ServerStorage

/// Maps a table's neutral form, in which all stores are copied, to its columns in SQLite (rule DC-2).
///
/// The chat database stores numbers in place of the names of applications, conversations and users. When a row is read, the numbers are
/// replaced by the names; when a row is written, names without a number get one.
struct SQLiteTableForm {
    /// A statement, and the indices of the columns whose values are its arguments, in order.
    struct Writing {
        var sql: String
        var columns: [Int]
    }

    var selection: String
    var count: String
    /// The statements that write one row, in order.
    var writing: [Writing]

    init(_ table: StoredTable) {
        let source = Self.source(of: table)
        selection = "SELECT \(source.columns) FROM \(source.from) ORDER BY \(source.order)"
        count = "SELECT count(*) FROM \(source.from)"
        writing = Self.writing(of: table)
    }

    private struct Source {
        var columns: String
        var from: String
        var order: String
    }

    private static func source(of table: StoredTable) -> Source {
        let inboxes = "application CROSS JOIN inbox ON inbox.application = application.id"
        switch table.title {
        case "chat.event":
            return Source(
                columns: "event.id, application.name, conversation.name, sender, client_id, own_sequence, audience, body",
                from: """
                    event CROSS JOIN application ON application.id = event.application
                    LEFT JOIN conversation ON conversation.id = event.conversation
                    """, order: "event.id")
        case "chat.reader", "chat.hidden":
            let name = table.name
            return Source(
                columns: "\(name).event, inbox.name",
                from: """
                    \(name) CROSS JOIN event ON event.id = \(name).event CROSS JOIN inbox ON inbox.id = \(name).inbox
                    """, order: "\(name).event, inbox.name")
        case "chat.inbox":
            return Source(
                columns: "application.name, inbox.name, last, acknowledged",
                from: "\(inboxes) WHERE last <> 0 OR acknowledged <> 0", order: "application.name, inbox.name")
        case "chat.inbox_entry":
            return Source(
                columns: "application.name, inbox.name, sequence, event",
                from: "\(inboxes) CROSS JOIN inbox_entry ON inbox_entry.inbox = inbox.id",
                order: "application.name, inbox.name, sequence")
        case "chat.hidden_up_to":
            return Source(
                columns: "application.name, inbox.name, conversation.name, event",
                from: """
                    \(inboxes) CROSS JOIN hidden_up_to ON hidden_up_to.inbox = inbox.id
                    CROSS JOIN conversation ON conversation.id = hidden_up_to.conversation
                    """, order: "application.name, inbox.name, conversation.name")
        case "chat.document":
            return Source(
                columns: "application.name, kind, document.name, value",
                from: "application CROSS JOIN document ON document.application = application.id",
                order: "application.name, kind, document.name")
        default:
            let names = columns(of: table)
            // A limit of 0 is left out of the copy, because stores other than SQLite have no row for a limit that was never set.
            let condition = table.conflict == .limit ? " WHERE \(names.last ?? "id") > 0" : ""
            return Source(
                columns: names.joined(separator: ", "), from: "\"\(table.name)\"" + condition,
                order: names.prefix(table.keyCount).joined(separator: ", "))
        }
    }

    /// The SQLite column names of a table whose columns are the same as in the neutral form. Only `author` is called `user` in SQLite.
    private static func columns(of table: StoredTable) -> [String] {
        table.columns.map { $0.name == "author" ? "user" : $0.name }
    }

    private static let application = "INSERT OR IGNORE INTO application (name) VALUES (?)"
    private static let inbox = "INSERT OR IGNORE INTO inbox (application, name) SELECT id, ? FROM application WHERE name = ?"
    private static let conversation =
        "INSERT OR IGNORE INTO conversation (application, name) SELECT id, ? FROM application WHERE name = ?"

    private static func writing(of table: StoredTable) -> [Writing] {
        let inboxes = "application JOIN inbox ON inbox.application = application.id"
        switch table.title {
        case "chat.event":
            return [
                Writing(sql: application, columns: [1]),
                Writing(sql: conversation + " AND ? IS NOT NULL", columns: [2, 1, 2]),
                Writing(
                    sql: """
                        INSERT INTO event (id, application, conversation, sender, client_id, own_sequence, audience, body)
                        SELECT ?, place.id,
                            (SELECT conversation.id FROM conversation
                                WHERE conversation.application = place.id AND conversation.name = ?),
                            ?, ?, ?, ?, ?
                        FROM application AS place WHERE place.name = ?
                        ON CONFLICT (id) DO UPDATE SET application = excluded.application, conversation = excluded.conversation,
                            sender = excluded.sender, client_id = excluded.client_id, own_sequence = excluded.own_sequence,
                            audience = excluded.audience, body = excluded.body
                        """, columns: [0, 2, 3, 4, 5, 6, 7, 1]),
            ]
        case "chat.reader", "chat.hidden":
            return [
                Writing(
                    sql: "INSERT OR IGNORE INTO inbox (application, name) SELECT application, ? FROM event WHERE id = ?",
                    columns: [1, 0]),
                Writing(
                    sql: """
                        INSERT OR IGNORE INTO \(table.name) (event, inbox) SELECT event.id, inbox.id
                        FROM event JOIN inbox ON inbox.application = event.application AND inbox.name = ? WHERE event.id = ?
                        """, columns: [1, 0]),
            ]
        case "chat.inbox":
            return [
                Writing(sql: application, columns: [0]), Writing(sql: inbox, columns: [1, 0]),
                Writing(
                    sql: """
                        UPDATE inbox SET last = ?, acknowledged = ?
                        WHERE application = (SELECT id FROM application WHERE name = ?) AND name = ?
                        """, columns: [2, 3, 0, 1]),
            ]
        case "chat.inbox_entry":
            return [
                Writing(sql: application, columns: [0]), Writing(sql: inbox, columns: [1, 0]),
                Writing(
                    sql: """
                        INSERT INTO inbox_entry (inbox, sequence, event) SELECT inbox.id, ?, ? FROM \(inboxes)
                        WHERE application.name = ? AND inbox.name = ?
                        ON CONFLICT (inbox, sequence) DO UPDATE SET event = excluded.event
                        """, columns: [2, 3, 0, 1]),
            ]
        case "chat.hidden_up_to":
            return [
                Writing(sql: application, columns: [0]), Writing(sql: inbox, columns: [1, 0]),
                Writing(sql: conversation, columns: [2, 0]),
                Writing(
                    sql: """
                        INSERT INTO hidden_up_to (inbox, conversation, event) SELECT inbox.id, conversation.id, ?
                        FROM \(inboxes) JOIN conversation ON conversation.application = application.id
                        WHERE application.name = ? AND inbox.name = ? AND conversation.name = ?
                        ON CONFLICT (inbox, conversation) DO UPDATE SET event = excluded.event
                        """, columns: [3, 0, 1, 2]),
            ]
        case "chat.document":
            return [
                Writing(sql: application, columns: [0]),
                Writing(
                    sql: """
                        INSERT OR REPLACE INTO document (application, kind, name, value)
                        SELECT id, ?, ?, ? FROM application WHERE name = ?
                        """, columns: [1, 2, 3, 0]),
            ]
        default:
            let names = columns(of: table)
            let places = names.map { _ in "?" }.joined(separator: ", ")
            let changes = names.dropFirst(table.keyCount).map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
            let key = names.prefix(table.keyCount).joined(separator: ", ")
            return [
                Writing(
                    sql: """
                        INSERT INTO "\(table.name)" (\(names.joined(separator: ", "))) VALUES (\(places))
                        ON CONFLICT (\(key)) DO UPDATE SET \(changes)
                        """, columns: Array(names.indices))
            ]
        }
    }
}
