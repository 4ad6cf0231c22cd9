import NIOConcurrencyHelpers

/// The tables of a store, their versions, and the lock by which one server at a time writes them (rules PG-5 to PG-8).
///
/// The lock is an advisory lock of the writing connection, and ends with the connection. `generation` counts the servers that have had the
/// lock. A server that lost its connection and finds another number when it has the lock again can no longer write, because its state in
/// memory is outdated.
final class PostgresTables: Sendable {
    /// The value of the column `part` in the table `store`, which names this store.
    let part: String
    /// The SQL statements that create each version of the tables, in order. Existing ones are never changed; new ones are appended. A
    /// statement that only adds an index begins with ``indexStatement``.
    let migrations: [String]
    private let schema: String
    private let quotedSchema: String
    /// The terms of the leaders of a cluster; nil when one server at a time uses the tables.
    let terms: PostgresTerms?
    private let generation = NIOLockedValueBox<Int64?>(nil)

    init(part: String, migrations: [String], _ settings: PostgreSQLSettings) {
        self.part = part
        self.migrations = migrations
        schema = settings.schema
        quotedSchema = settings.quotedSchema
        terms = settings.cluster.map { PostgresTerms(part: part, cluster: $0, schema: settings.schema) }
    }

    /// Takes the lock for writing. The first call also migrates the tables to this version.
    func take(_ connection: PostgresConnection) throws {
        try lock(connection)
        // The timeout ends a transaction that a suspended server has left open. Otherwise the next leader would have to wait for the end of
        // that transaction.
        if terms != nil { try connection.execute("SET idle_in_transaction_session_timeout = '5s'") }
        guard let known = generation.withLockedValue({ $0 }) else {
            let mine = try connection.transaction("BEGIN") { try self.open($0) }
            generation.withLockedValue { $0 = mine }
            return
        }
        let rows = try connection.run("SELECT generation FROM store WHERE part = $1", [.text(part)])
        guard rows.integer(0, 0) == known else { throw PostgreSQLStoreError.replaced(schema: schema) }
    }

    /// Takes the lock that keeps other servers away as long as the connection lasts. It changes no data.
    func lock(_ connection: PostgresConnection) throws {
        try connection.execute("SET lock_timeout = '3s'")
        do throws(PostgresError) {
            try connection.run("SELECT pg_advisory_lock\(lockKind)(1279870540, hashtext(convert_from($1, 'UTF8')))", [lockName])
        } catch {
            guard error.state == "55P03" else { throw error }
            throw PostgreSQLStoreError.inUse(schema: schema)
        }
        try connection.execute("SET lock_timeout = 0")
    }

    /// Whether a server or a running copy has the lock for writing.
    func isLocked(_ connection: PostgresConnection) throws -> Bool {
        let rows = try connection.run(
            """
            SELECT 1 FROM pg_locks
            WHERE locktype = 'advisory' AND granted AND classid::int8 = 1279870540
                AND objid::int8 = (hashtext(convert_from($1, 'UTF8'))::int8 & 4294967295)
                AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            """, [lockName])
        return rows.count > 0
    }

    /// Releases the lock by which one server at a time writes to the tables.
    func release(_ connection: PostgresConnection) throws {
        try connection.run("SELECT pg_advisory_unlock\(lockKind)(1279870540, hashtext(convert_from($1, 'UTF8')))", [lockName])
    }

    private var lockName: PostgresValue { .text(part + " " + schema) }

    /// The suffix of PostgreSQL's lock functions. All servers of a cluster write, so they take the lock together, as a shared lock.
    private var lockKind: String { terms == nil ? "" : "_shared" }

    private func open(_ connection: PostgresConnection) throws -> Int64 {
        // Another lock protects the creation of the schema, because two stores may create it at the same time.
        try connection.execute("SELECT pg_advisory_xact_lock(1279870541)")
        let name = PostgresValue.text(schema)
        let tables = try connection.run(
            """
            SELECT count(*), count(*) FILTER (WHERE tablename = 'store') FROM pg_tables
            WHERE schemaname = convert_from($1, 'UTF8')
            """, [name])
        let count = tables.integer(0, 0) ?? 0
        guard count == 0 || tables.integer(0, 1) == 1 else { throw PostgreSQLStoreError.foreign(schema: schema) }
        if count == 0 { try createSchema(connection) }
        try connection.run("INSERT INTO store (part, version) VALUES ($1, 0) ON CONFLICT (part) DO NOTHING", [.text(part)])
        let row = try connection.run(
            "UPDATE store SET generation = generation + $2 WHERE part = $1 RETURNING generation, version",
            [.text(part), .integer(terms == nil ? 1 : 0)])
        guard let generation = row.integer(0, 0), let version = row.integer(0, 1) else {
            throw PostgreSQLStoreError.damaged(schema: schema)
        }
        guard version <= Int64(migrations.count) else { throw PostgreSQLStoreError.newer(schema: schema) }
        if try mayChange(from: version, connection) {
            try connection.patiently {
                for migration in missing(at: version) { try connection.execute(migration) }
            }
            try connection.run(
                "UPDATE store SET version = $2 WHERE part = $1", [.text(part), .integer(Int64(migrations.count))])
        }
        try terms?.open(connection)
        return generation
    }

    /// The beginning of a migration's statement that only adds an index. Servers work without the index, but more slowly.
    static let indexStatement = "CREATE INDEX IF NOT EXISTS "

    /// Whether this program can use tables of a version without changing them: nothing but indexes may be missing.
    func canUse(_ version: Int64) -> Bool {
        version <= Int64(migrations.count) && missing(at: version).allSatisfy { $0.hasPrefix(Self.indexStatement) }
    }

    private func missing(at version: Int64) -> ArraySlice<String> { migrations.dropFirst(Int(clamping: max(0, version))) }

    /// Whether the tables may be migrated now. Running servers of an older version could not use them afterwards.
    ///
    /// - Throws: `PostgreSQLStoreError.olderServers` if the tables may not be migrated now, and this program cannot use them unchanged.
    private func mayChange(from version: Int64, _ connection: PostgresConnection) throws -> Bool {
        guard terms != nil, version > 0, version < Int64(migrations.count) else { return true }
        let rows = try connection.run(
            "SELECT pg_try_advisory_xact_lock(1279870540, hashtext(convert_from($1, 'UTF8')))", [lockName])
        if rows.integer(0, 0) == 1 { return true }
        guard canUse(version) else { throw PostgreSQLStoreError.olderServers(schema: schema) }
        return false
    }

    /// The schema is created only if it does not exist, because the user of an existing schema may have no right to create one.
    private func createSchema(_ connection: PostgresConnection) throws {
        let found = try connection.run(
            "SELECT 1 FROM pg_namespace WHERE nspname = convert_from($1, 'UTF8')", [.text(schema)])
        if found.count == 0 { try connection.execute("CREATE SCHEMA \(quotedSchema)") }
        try connection.execute(
            """
            CREATE TABLE store (
                part bytea PRIMARY KEY, version int8 NOT NULL, generation int8 NOT NULL DEFAULT 0, reserved int8 NOT NULL DEFAULT 0,
                epoch bytea
            )
            """)
    }
}
