import GRDB

extension StoreSchema {
    /// The schema of the chat database. SQLite's application id in the file is "LIFC" in ASCII.
    static var chat: StoreSchema { StoreSchema(applicationID: 0x4C49_4643, migrator: chatMigrator) }

    private static var chatMigrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 chat") { database in
            try database.execute(sql: "PRAGMA application_id = \(0x4C49_4643)")
            try createNames(database)
            try createEvents(database)
            try database.execute(
                sql: """
                    CREATE TABLE document (
                        application INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, value BLOB NOT NULL,
                        PRIMARY KEY (application, kind, name)
                    ) WITHOUT ROWID
                    """)
            try database.execute(
                sql: "CREATE TABLE reservation (id INTEGER PRIMARY KEY CHECK (id = 1), timetoken INTEGER NOT NULL)")
            try database.execute(sql: "CREATE TABLE life (id INTEGER PRIMARY KEY CHECK (id = 1), epoch TEXT NOT NULL)")
            try database.execute(sql: "INSERT INTO life (id, epoch) VALUES (1, ?)", arguments: [newChatEpoch()])
        }
        migrator.registerMigration("2 readers") { database in try createReaders(database) }
        migrator.registerMigration("3 usage") { database in try EventUsage.create(in: database) }
        return migrator
    }

    /// Creates the table of the users who may read a message that was sent to some members of a group only. The sender of the message is
    /// one of these users. A message without a row is for all members. The rows of messages that were stored before this table existed are
    /// made from the user ids in their bodies.
    private static func createReaders(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE reader (event INTEGER NOT NULL, inbox INTEGER NOT NULL, PRIMARY KEY (event, inbox)) WITHOUT ROWID
                """)
        try database.execute(
            sql: """
                CREATE TEMPORARY TABLE directed AS
                SELECT id, application, sender AS name FROM event
                WHERE conversation IS NOT NULL AND instr(body, CAST('"users":' AS BLOB)) > 0
                    AND CASE WHEN json_valid(CAST(body AS TEXT)) THEN json_type(CAST(body AS TEXT), '$.users') END = 'array'
                """)
        try database.execute(
            sql: """
                INSERT INTO directed SELECT event.id, event.application, member.value
                FROM directed JOIN event ON event.id = directed.id, json_each(CAST(event.body AS TEXT), '$.users') AS member
                """)
        try database.execute(sql: "INSERT OR IGNORE INTO inbox (application, name) SELECT application, name FROM directed")
        try database.execute(
            sql: """
                INSERT OR IGNORE INTO reader (event, inbox) SELECT directed.id, inbox.id FROM directed
                JOIN inbox ON inbox.application = directed.application AND inbox.name = directed.name
                """)
        try database.execute(sql: "DROP TABLE directed")
    }

    /// Creates the tables that give numbers to the names of applications, inboxes and conversations, because these names occur in many
    /// rows.
    private static func createNames(_ database: Database) throws {
        try database.execute(sql: "CREATE TABLE application (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)")
        // The next entry of an inbox gets the position after the highest one. The column `last` keeps the highest position, even after the
        // entry at this position was purged.
        try database.execute(
            sql: """
                CREATE TABLE inbox (
                    id INTEGER PRIMARY KEY, application INTEGER NOT NULL, name TEXT NOT NULL, last INTEGER NOT NULL DEFAULT 0,
                    acknowledged INTEGER NOT NULL DEFAULT 0, UNIQUE (application, name)
                )
                """)
        try database.execute(
            sql: """
                CREATE TABLE conversation (
                    id INTEGER PRIMARY KEY, application INTEGER NOT NULL, name TEXT NOT NULL, UNIQUE (application, name)
                )
                """)
    }

    private static func createEvents(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE event (
                    id INTEGER PRIMARY KEY, application INTEGER NOT NULL, conversation INTEGER, sender TEXT NOT NULL, client_id TEXT,
                    own_sequence INTEGER, audience INTEGER NOT NULL, body BLOB NOT NULL
                )
                """)
        // The index is used to read pages of history, by id within a conversation, and to purge events that belong to no conversation.
        try database.execute(sql: "CREATE INDEX event_conversation ON event (conversation)")
        // The primary key begins with the inbox, so that a page of an inbox is contiguous in the file.
        try database.execute(
            sql: """
                CREATE TABLE inbox_entry (
                    inbox INTEGER NOT NULL, sequence INTEGER NOT NULL, event INTEGER NOT NULL, PRIMARY KEY (inbox, sequence)
                ) WITHOUT ROWID
                """)
        try database.execute(
            sql: """
                CREATE TABLE receipt (
                    id INTEGER PRIMARY KEY, event INTEGER NOT NULL, reader TEXT NOT NULL, time INTEGER NOT NULL,
                    UNIQUE (event, reader)
                )
                """)
        try database.execute(
            sql: """
                CREATE TABLE hidden (event INTEGER NOT NULL, inbox INTEGER NOT NULL, PRIMARY KEY (event, inbox)) WITHOUT ROWID
                """)
        try database.execute(
            sql: """
                CREATE TABLE hidden_up_to (
                    inbox INTEGER NOT NULL, conversation INTEGER NOT NULL, event INTEGER NOT NULL,
                    PRIMARY KEY (inbox, conversation)
                ) WITHOUT ROWID
                """)
    }
}
