import GRDB

/// The kind of a database: its id, and the migrations that create its tables.
struct StoreSchema {
    /// SQLite's application id in the file's header. It distinguishes Lifeline's kinds of databases from each other and from foreign files.
    let applicationID: Int32
    let migrator: DatabaseMigrator

    /// The schema of the message database. SQLite's application id in the file is "LIFL" in ASCII.
    static var messages: StoreSchema { StoreSchema(applicationID: 0x4C49_464C, migrator: messageMigrator) }

    private static var messageMigrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 messages, groups, reservations") { database in
            try database.execute(sql: "PRAGMA application_id = \(0x4C49_464C)")
            // The primary key begins with the channel and the time, so that a page of history is contiguous in the file.
            try database.execute(
                sql: """
                    CREATE TABLE message (
                        application TEXT NOT NULL, channel TEXT NOT NULL, timetoken INTEGER NOT NULL, publisher TEXT,
                        payload BLOB NOT NULL, metadata BLOB, kind INTEGER NOT NULL, custom_type TEXT, sequence INTEGER,
                        origination INTEGER, stored INTEGER NOT NULL, expires INTEGER,
                        PRIMARY KEY (application, channel, timetoken)
                    ) WITHOUT ROWID
                    """)
            // The index on timetokens is used to restore the recent messages after a restart.
            try database.execute(sql: "CREATE INDEX message_timetoken ON message (timetoken)")
            try database.execute(sql: "CREATE INDEX message_expires ON message (expires) WHERE expires IS NOT NULL")
            try database.execute(
                sql: """
                    CREATE TABLE group_channel (
                        application TEXT NOT NULL, name TEXT NOT NULL, position INTEGER NOT NULL, channel TEXT NOT NULL,
                        PRIMARY KEY (application, name, position)
                    ) WITHOUT ROWID
                    """)
            try database.execute(
                sql: "CREATE TABLE reservation (id INTEGER PRIMARY KEY CHECK (id = 1), timetoken INTEGER NOT NULL)")
        }
        migrator.registerMigration("2 message actions") { database in
            try database.execute(
                sql: """
                    CREATE TABLE message_action (
                        application TEXT NOT NULL, channel TEXT NOT NULL, timetoken INTEGER NOT NULL, message INTEGER NOT NULL,
                        type BLOB NOT NULL, value BLOB NOT NULL, user BLOB NOT NULL,
                        PRIMARY KEY (application, channel, timetoken)
                    ) WITHOUT ROWID
                    """)
        }
        migrator.registerMigration("3 access manager") { database in
            try createAccess(database)
            try AccessJournal.move(in: database)
        }
        migrator.registerMigration("4 records") { database in try RecordRows.create(in: database) }
        migrator.registerMigration("5 usage") { database in try MessageUsage.create(in: database) }
        return migrator
    }

    static func configuration(_ durability: Durability) -> Configuration {
        var configuration = Configuration()
        configuration.label = "lifeline.store"
        configuration.maximumReaderCount = 4
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA synchronous = \(durability.pragma)")
            try database.execute(sql: "PRAGMA cache_size = -16000")
            try database.execute(sql: "PRAGMA journal_size_limit = 67108864")
        }
        return configuration
    }

    /// Opens the database file, and migrates it to this version of the schema.
    func open(file: String, durability: Durability) throws -> DatabasePool {
        try StoreSpace.prepare(file: file)
        let pool = try DatabasePool(path: file, configuration: Self.configuration(durability))
        try pool.read { database in
            let id = try Int32.fetchOne(database, sql: "PRAGMA application_id") ?? 0
            let hasTables = try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM sqlite_master)") ?? false
            guard id == applicationID || (id == 0 && !hasTables) else { throw MessageStoreError.foreign(file: file) }
            if try migrator.hasBeenSuperseded(database) { throw MessageStoreError.newer(file: file) }
        }
        try migrator.migrate(pool)
        return pool
    }
}

/// Which failures of process or machine an acknowledged message survives (rule HB-44).
public enum Durability: Hashable, Sendable {
    /// A message survives any end of the process, including `kill -9`. When the machine itself stops, the most recent messages may be lost,
    /// but the database stays valid and timetokens do not repeat.
    case process
    /// A message also survives a power failure, because every group of messages waits for the disk.
    case power

    var pragma: String { self == .process ? "NORMAL" : "FULL" }
}
