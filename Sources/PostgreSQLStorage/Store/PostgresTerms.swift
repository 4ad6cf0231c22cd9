import ServerStorage

/// The terms of the leaders of a cluster's partitions, for one store (rules PG-21 and PG-22).
///
/// Each transaction of a leader begins with a check that the leader's term is the latest one. The check also locks the term until the
/// transaction ends. So a new term begins only when no transaction of the former leader is in progress, and all later transactions of that
/// leader fail.
struct PostgresTerms: Sendable {
    /// The value of the column `part` in the table `store`, which names the store.
    let part: String
    let cluster: String
    let schema: String

    /// The SQLSTATE of a failed ``check(_:)``: division by zero.
    static let failure = "22012"

    /// Creates the table of terms. Call it within the transaction that opens the store.
    func open(_ connection: PostgresConnection) throws {
        let found = try connection.run(
            "SELECT 1 FROM pg_tables WHERE schemaname = convert_from($1, 'UTF8') AND tablename = 'leader_term'", [.text(schema)])
        if found.count == 0 {
            try connection.execute(
                """
                CREATE TABLE leader_term (
                    part bytea NOT NULL, partition int8 NOT NULL, number int8 NOT NULL, cluster bytea NOT NULL,
                    PRIMARY KEY (part, partition)
                )
                """)
        }
        let others = try connection.run("SELECT 1 FROM leader_term WHERE cluster <> $1 LIMIT 1", [.text(cluster)])
        guard others.count == 0 else { throw PostgreSQLStoreError.otherCluster(schema: schema) }
    }

    /// Begins a term. Throws `deposed` if a later term has begun.
    func begin(_ term: LeaderTerm, _ connection: PostgresConnection) throws {
        let rows = try connection.run(
            """
            INSERT INTO leader_term (part, partition, number, cluster) VALUES ($1, $2, $3, $4)
            ON CONFLICT (part, partition) DO UPDATE SET number = excluded.number WHERE leader_term.number <= excluded.number
            RETURNING number
            """, values(term) + [.text(cluster)])
        guard rows.count == 1 else { throw PostgreSQLStoreError.deposed }
    }

    /// A statement that fails unless the term is the latest one. It fails by dividing by zero, so no other statement may divide by zero.
    func check(_ term: LeaderTerm) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT 1 / (CASE WHEN (
                SELECT number FROM leader_term WHERE part = $1 AND partition = $2 FOR SHARE) = $3 THEN 1 ELSE 0 END)
            """, values(term))
    }

    private func values(_ term: LeaderTerm) -> [PostgresValue] {
        [.text(part), .integer(Int64(term.partition)), .clamped(term.number)]
    }
}
