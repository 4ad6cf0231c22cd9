import ServerStorage

/// The SQL statements for a stored table. Only this type converts between the store-independent form of a table and the columns of
/// PostgreSQL (rule DC-2).
struct PostgresTableForm {
    /// An SQL statement, and the columns whose values are its parameters, in order.
    struct Writing {
        var sql: String
        var columns: [Int]
    }

    var selection: String
    var count: String
    /// The statements that write a row.
    var writing: [Writing]
    /// The statement to perform after the last row; nil for none.
    var finish: String?

    init(_ table: StoredTable) {
        let names = table.columns.map(\.name)
        let columns = names.joined(separator: ", ")
        let key = names.prefix(table.keyCount).joined(separator: ", ")
        var source = Self.name(of: table)
        var selected = columns
        switch table.title {
        case "chat.reader", "chat.hidden":
            // Rows that belong to deleted events are left out, because they have no meaning without their event.
            source = "\(table.name) JOIN event ON event.id = \(table.name).event"
        case "chat.inbox": source = "inbox WHERE last <> 0 OR acknowledged <> 0"
        case "messages.reservation", "chat.reservation":
            (selected, source) = ("1::int8 AS id, reserved", "store WHERE part = '\(table.part)' AND reserved > 0")
        case "chat.life": (selected, source) = ("1::int8 AS id, epoch", "store WHERE part = 'chat' AND epoch IS NOT NULL")
        case "applications.change": source += " WHERE number > 0"
        default: break
        }
        selection = "SELECT \(selected) FROM \(source) ORDER BY \(key)"
        count = "SELECT count(*) FROM \(source)"
        writing = Self.writing(of: table, columns: columns, key: key)
        finish = Self.finish(table)
    }

    private static func finish(_ table: StoredTable) -> String? {
        switch table.title {
        case "messages.message": MessageUsageStatements.recount
        case "chat.event": EventUsageStatements.recount
        // Sets the sequence, so that the numbers of later rows are larger than those of the copied rows.
        case _ where table.conflict == .numbered:
            """
            SELECT setval(pg_get_serial_sequence('\(table.name)', 'id'), greatest(1, (SELECT max(id) FROM \(table.name))))
            """
        default: nil
        }
    }

    private static func name(of table: StoredTable) -> String {
        table.part == .applications && table.name == "change" ? "application_change" : table.name
    }

    private static func writing(of table: StoredTable, columns: String, key: String) -> [Writing] {
        switch table.title {
        case "messages.reservation", "chat.reservation":
            return [
                Writing(
                    sql: "UPDATE store SET reserved = greatest(reserved, $1) WHERE part = '\(table.part)'", columns: [1])
            ]
        case "chat.life": return [Writing(sql: "UPDATE store SET epoch = $1 WHERE part = 'chat'", columns: [1])]
        default: break
        }
        let places = table.columns.enumerated().map { index, column in
            column.name == "stored" ? "$\(index + 1)::int8 <> 0" : "$\(index + 1)"
        }
        let changes = table.columns.dropFirst(table.keyCount).map { "\($0.name) = excluded.\($0.name)" }
        let statement = Writing(
            sql: """
                INSERT INTO \(name(of: table)) (\(columns))\(table.conflict == .numbered ? " OVERRIDING SYSTEM VALUE" : "")
                VALUES (\(places.joined(separator: ", "))) ON CONFLICT (\(key))
                \(changes.isEmpty ? "DO NOTHING" : "DO UPDATE SET \(changes.joined(separator: ", "))")
                """, columns: Array(table.columns.indices))
        guard table.title == "chat.inbox_entry" else { return [statement] }
        return [
            Writing(sql: "INSERT INTO inbox (application, name) VALUES ($1, $2) ON CONFLICT DO NOTHING", columns: [0, 1]),
            statement,
        ]
    }
}
