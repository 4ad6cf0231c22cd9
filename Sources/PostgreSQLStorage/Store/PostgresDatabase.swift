import Dispatch
import Identifiers
import ServerStorage

/// The parts that each store consists of: a writer, readers, and the tables.
final class PostgresDatabase<Items: PostgresItems>: Sendable {
    let writer: PostgresWriter<Items>
    private let readers: PostgresReaders
    private let tables: PostgresTables

    private init(writer: PostgresWriter<Items>, readers: PostgresReaders, tables: PostgresTables) {
        self.writer = writer
        self.readers = readers
        self.tables = tables
    }

    /// Connects, takes the lock for writing, and migrates the tables to this version.
    static func open(
        _ settings: PostgreSQLSettings, part: String, migrations: [String], items: Items
    ) async throws(PostgreSQLStoreError) -> PostgresDatabase {
        let libpq = try LibPQ()
        try settings.check(libpq)
        let tables = PostgresTables(part: part, migrations: migrations, settings)
        let session = PostgresSession(settings, libpq, label: "lifeline.store.writer") { connection in
            // A read-only server is refused here. Otherwise the connection would seem usable until the next write.
            let mode = try connection.run("SELECT 1 WHERE current_setting('transaction_read_only') = 'on'")
            guard mode.count == 0 else {
                throw PostgresError(state: "25006", message: "the database takes no writes: it is read-only")
            }
            try tables.take(connection)
        }
        let result: Result<Void, PostgreSQLStoreError> = await withCheckedContinuation { continuation in
            session.queue.async {
                let result = Result { try session.use { _ in } }
                continuation.resume(returning: result.mapError { PostgreSQLStoreError($0) })
            }
        }
        try result.get()
        let writer = PostgresWriter(session: session, items: items)
        keepConnected(session, until: writer)
        return PostgresDatabase(writer: writer, readers: PostgresReaders(settings, libpq), tables: tables)
    }

    /// Checks once a second whether the writer's connection was lost, and reconnects it. So the connection is restored even while nothing
    /// is written.
    private static func keepConnected(_ session: PostgresSession, until writer: PostgresWriter<Items>) {
        session.queue.asyncAfter(deadline: DispatchTime.now() + .seconds(1)) { [weak writer] in
            guard let writer, !writer.isClosed else { return }
            session.connect()
            keepConnected(session, until: writer)
        }
    }

    /// The reason why the database cannot be used at present; nil while no reason is known.
    var failure: PostgreSQLStoreError? { writer.failure }

    /// Performs a read on one of the reading connections, concurrently with the writer.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresConnection) throws -> Value
    ) async throws(PostgreSQLStoreError) -> Value {
        try await readers.read(body)
    }

    /// Performs reads in one transaction, so that all of them see the same state of the database.
    func snapshot<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresConnection) throws -> Value
    ) async throws(PostgreSQLStoreError) -> Value {
        try await readers.read { try $0.transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", body) }
    }

    /// Begins the term of a leader in a cluster.
    ///
    /// - Returns: the statement with which every later transaction of this leader has to begin.
    func begin(_ term: LeaderTerm) async throws(PostgreSQLStoreError) -> PostgresStatement? {
        guard let terms = tables.terms else { return nil }
        try await writer.perform { try terms.begin(term, $0) }
        return terms.check(term)
    }

    /// Stores the limit up to which ids may be assigned, in a way that survives a power failure.
    func reserve(_ limit: UInt64, under check: PostgresStatement? = nil) async throws(PostgreSQLStoreError) {
        let part = tables.part
        try await writer.perform(under: check) { connection in
            try connection.execute("SET LOCAL synchronous_commit = on")
            try connection.run("UPDATE store SET reserved = $2 WHERE part = $1", [.text(part), .clamped(limit)])
        }
    }

    func close() async {
        let tables = tables
        await writer.close { try tables.release($0) }
        await readers.close()
    }
}

extension PostgresConnection {
    /// Reads the rows of a query in parts, so that a large result is never in memory as a whole. Call it within a transaction.
    func forEach(
        _ sql: String, with values: [PostgresValue] = [], _ body: (PostgresRows, _ row: Int) throws -> Void
    ) throws {
        try run("DECLARE part NO SCROLL CURSOR FOR \(sql)", values)
        while true {
            let rows = try fetch("FETCH 1000 FROM part")
            for row in 0..<rows.count { try body(rows, row) }
            guard rows.count == 1000 else { break }
        }
        try execute("CLOSE part")
    }
}

/// The applications whose rows are restored, in the form of an SQL condition.
struct PostgresApplications: Sendable {
    private let names: Set<Identifier>?

    /// - Parameter names: the applications; nil for all.
    init(_ names: Set<Identifier>?) { self.names = names }

    /// The SQL condition. It has one parameter, which has the index `number` in the statement.
    func condition(_ number: Int) -> String {
        names == nil ? "cardinality($\(number)::bytea[]) = 0" : "application = ANY ($\(number)::bytea[])"
    }

    var value: PostgresValue { .names(names ?? []) }
}
