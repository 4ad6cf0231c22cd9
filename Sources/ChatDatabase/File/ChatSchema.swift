import GRDB

/// The tables, the version and the SQLite settings of the chat client's database.
enum ChatSchema {
    /// Rebuilds the full-text index of words. Its tokenizer accepts the characters that ``Words`` treats as words or parts of words.
    private static func indexAgain(_ database: Database) throws {
        try database.execute(sql: "DROP TABLE message_text")
        try database.execute(
            sql: """
                CREATE VIRTUAL TABLE message_text USING fts5(
                    text, content='', columnsize=0, prefix='1 2 3',
                    tokenize="unicode61 remove_diacritics 2 categories 'L* N* Co So Sm Sc' tokenchars '#%&@'"
                )
                """)
        let insertion = try database.makeStatement(sql: "INSERT INTO message_text (rowid, text) VALUES (?, ?)")
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT message.channel, message.slot, name.text, message.content FROM message
                JOIN name ON name.number = message.type WHERE message.slot IS NOT NULL ORDER BY message.channel, message.slot
                """)
        while let row = try rows.next() {
            guard let words = MessageText(row[2], MessageColumns.bytes(row, 3) ?? []).words else { continue }
            try insertion.execute(arguments: [WordKey.key(row[0], row[1]), words])
        }
    }

    /// "LIFC" in ASCII. It identifies database files of this client.
    static let applicationID: Int32 = 0x4C49_4643

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 messages, channels, coverage, search") { database in
            try database.execute(sql: "PRAGMA application_id = \(applicationID)")
            try database.execute(sql: statements)
        }
        migrator.registerMigration("2 search for signs") { database in try indexAgain(database) }
        migrator.registerMigration("3 since when in groups") { database in
            try database.execute(sql: "CREATE TABLE joined (channel INTEGER PRIMARY KEY, position INTEGER NOT NULL) STRICT")
        }
        return migrator
    }

    static func configuration(patience: Double) -> Configuration {
        var configuration = Configuration()
        configuration.label = "lifeline.chat"
        configuration.maximumReaderCount = 4
        configuration.busyMode = .timeout(patience)
        configuration.prepareDatabase { database in
            // A write need not reach the disk at once. A power failure can lose the last events, but it then also loses the inbox position
            // after them, so the server sends these events again (rule CD-10).
            try database.execute(sql: "PRAGMA synchronous = NORMAL")
            try database.execute(sql: "PRAGMA cache_size = -8000")
            try database.execute(sql: "PRAGMA journal_size_limit = 16777216")
        }
        return configuration
    }

    /// Opens the file and migrates it to this version.
    /// - Throws: `damaged` when a new file is necessary.
    static func open(path: String, patience: Double) throws -> DatabasePool {
        let pool = try DatabasePool(path: path, configuration: configuration(patience: patience))
        do {
            try pool.read(check)
            do {
                try migrator.migrate(pool)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR || error.resultCode == .SQLITE_CONSTRAINT {
                // The file's tables differ from the tables of this version, so the file is replaced.
                throw ChatDatabaseError.damaged
            }
            guard try Set(pool.read(tables)).isSuperset(of: tableNames) else { throw ChatDatabaseError.damaged }
            return pool
        } catch {
            try? pool.close()
            throw error
        }
    }

    /// Checks the application id, the version and the small tables, without reading a large file completely. A damaged message is detected
    /// when it is read (rule CD-4).
    private static func check(_ database: Database) throws {
        let id = try Int32.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        let tables = try tables(database)
        guard id == applicationID || (id == 0 && tables.isEmpty) else { throw ChatDatabaseError.damaged }
        guard try !migrator.hasBeenSuperseded(database) else { throw ChatDatabaseError.damaged }
        let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
        let size = try pages * (Int.fetchOne(database, sql: "PRAGMA page_size") ?? 4096)
        if size <= checkedSize {
            try checkAll(database, "PRAGMA quick_check(1)")
        } else {
            for table in tableNames where table != "message" && table != "message_text" && tables.contains(table) {
                try checkAll(database, "PRAGMA quick_check(\(table))")
            }
        }
    }

    /// The size in bytes up to which a file is checked completely when it is opened.
    private static let checkedSize = 16 << 20

    private static func tables(_ database: Database) throws -> [String] {
        try String.fetchAll(database, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
    }

    private static let tableNames = ["state", "name", "kind", "channel", "message", "span", "early", "message_text", "joined"]

    private static func checkAll(_ database: Database, _ pragma: String) throws {
        guard try String.fetchOne(database, sql: pragma) == "ok" else { throw ChatDatabaseError.damaged }
    }

    /// - `message.position` orders the messages of a channel: it is the server's id, or, before the server has assigned an id, the time in
    ///   the same units. `slot` is the millisecond that represents the message in the index of words; nil for a message without words.
    /// - `name` stores each user and type once, so that indexes stay small. Number 1 is the type of most messages, which the index of types
    ///   leaves out.
    /// - `span.channel` is 0 for ranges of all channels.
    /// - `joined` stores the position at which the user joined a group, if this device received that event.
    /// - `early` stores changes of messages that are not stored yet: recalls, edits and metadata.
    private static let statements = """
        CREATE TABLE state (
            id INTEGER PRIMARY KEY CHECK (id = 1), epoch TEXT, sequence INTEGER NOT NULL DEFAULT 0, inbox_from INTEGER,
            inbox_last INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        INSERT INTO state (id) VALUES (1);
        CREATE TABLE name (number INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;
        INSERT INTO name VALUES (1, 'RC:TxtMsg');
        CREATE TABLE kind (conversation INTEGER PRIMARY KEY, level INTEGER NOT NULL) STRICT;
        CREATE TABLE channel (
            number INTEGER PRIMARY KEY, conversation INTEGER NOT NULL, id TEXT NOT NULL, unread INTEGER NOT NULL DEFAULT 0,
            mentions INTEGER NOT NULL DEFAULT 0, pinned INTEGER NOT NULL DEFAULT 0, level INTEGER NOT NULL DEFAULT 0,
            operation_time INTEGER NOT NULL DEFAULT 0, draft TEXT NOT NULL DEFAULT '', latest INTEGER,
            latest_position INTEGER NOT NULL DEFAULT 0, read_time INTEGER NOT NULL DEFAULT 0, listed INTEGER NOT NULL DEFAULT 0,
            top INTEGER NOT NULL DEFAULT 0, top_slot INTEGER NOT NULL DEFAULT 0, drift INTEGER NOT NULL DEFAULT 0,
            UNIQUE (conversation, id)
        ) STRICT;
        CREATE INDEX channel_order ON channel (pinned, operation_time) WHERE listed = 1;
        CREATE TABLE message (
            local_id INTEGER PRIMARY KEY AUTOINCREMENT, channel INTEGER NOT NULL, position INTEGER NOT NULL, slot INTEGER,
            id INTEGER, client_id TEXT, sender INTEGER NOT NULL, type INTEGER NOT NULL, flags INTEGER NOT NULL,
            status INTEGER NOT NULL, received INTEGER NOT NULL, sent_time INTEGER NOT NULL, received_time INTEGER NOT NULL,
            edited INTEGER, content BLOB NOT NULL, metadata TEXT, users TEXT, push BLOB, extra TEXT,
            read_count INTEGER, unread_count INTEGER, total_count INTEGER
        ) STRICT;
        CREATE UNIQUE INDEX message_position ON message (channel, position);
        CREATE INDEX message_slot ON message (channel, slot) WHERE slot IS NOT NULL;
        CREATE INDEX message_sender ON message (channel, sender, position);
        CREATE INDEX message_type ON message (channel, type, position) WHERE type <> 1;
        CREATE INDEX message_client ON message (client_id) WHERE client_id IS NOT NULL AND flags & 1 = 1;
        CREATE INDEX message_status ON message (status) WHERE status < 30;
        CREATE TABLE span (
            channel INTEGER NOT NULL, low INTEGER NOT NULL, high INTEGER NOT NULL, PRIMARY KEY (channel, low)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE early (
            channel INTEGER NOT NULL, id INTEGER NOT NULL, recalled INTEGER NOT NULL DEFAULT 0, edited INTEGER, content BLOB,
            metadata TEXT, PRIMARY KEY (channel, id)
        ) STRICT, WITHOUT ROWID;
        CREATE VIRTUAL TABLE message_text USING fts5(
            text, content='', columnsize=0, prefix='1 2 3',
            tokenize="unicode61 remove_diacritics 2 categories 'L* N* Co So'"
        );
        """
}
