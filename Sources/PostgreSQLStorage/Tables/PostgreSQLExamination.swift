import ServerStorage

/// Checks, without changing anything, whether a server could use a database: connection, version, rights, tables and others (rule DC-10).
/// Calls block.
package struct PostgreSQLExamination: Sendable {
    /// The checks, in the order in which they are performed.
    package enum Question: String, CaseIterable, Sendable {
        case connection, version, encryption, role, rights, tables, server, commit
    }

    /// The result of a check, with advice. It contains neither the address nor a password.
    package enum Verdict: Hashable, Sendable {
        case passed(String)
        case noted(String, advice: String)
        case failed(String, advice: String)
    }

    private let settings: PostgreSQLSettings

    package init(_ settings: PostgreSQLSettings) { self.settings = settings }

    /// Performs all checks, and stops when there is no connection.
    ///
    /// - Parameters:
    ///   - measure: performs a check and returns how long it took.
    ///   - report: called with each result as soon as it is known.
    /// - Returns: the number of failed checks.
    package func run(
        measure: (() -> Void) -> Duration, report: (Question, Verdict, Duration) -> Void
    ) -> Int {
        var connection: PostgresConnection?
        var failures = 0
        for question in Question.allCases {
            var verdict = Verdict.passed("")
            let duration = measure {
                do {
                    if let connection {
                        verdict = try answer(question, connection)
                    } else {
                        let libpq = try LibPQ()
                        try settings.check(libpq)
                        let made = try PostgresConnection(settings, libpq)
                        verdict = .passed("connected to \(try made.text("SELECT current_database()::text"))")
                        connection = made
                    }
                } catch {
                    verdict = Self.failure(PostgreSQLStoreError(error))
                }
            }
            if case .failed = verdict { failures += 1 }
            report(question, verdict, duration)
            guard connection?.isOpen == true else { break }
        }
        return failures
    }

    /// The result of a check that has ended with an error, with advice for the operator.
    static func failure(_ error: PostgreSQLStoreError) -> Verdict {
        switch error {
        case .unreachable(let reason):
            .failed(
                "PostgreSQL cannot be reached: \(reason)",
                advice:
                    "Check host, port, user and password, the file pg_hba.conf, firewalls in between, and whether the database runs."
            )
        case .refused(let reason, let code):
            .failed(
                "PostgreSQL refuses a statement: \(reason), SQLSTATE \(code)",
                advice: "See the log of the database for the refused statement.")
        default:
            .failed(
                error.parts.fact,
                advice: error.parts.advice.map { $0.prefix(1).uppercased() + $0.dropFirst() + "." }
                    ?? "Try again. If the check fails again, see the log of the database.")
        }
    }

    private func answer(_ question: Question, _ connection: PostgresConnection) throws -> Verdict {
        switch question {
        case .connection: .passed("connected")
        case .version: try version(connection)
        case .encryption: try encryption(connection)
        case .role: try role(connection)
        case .rights: try rights(connection)
        case .tables: try tables(connection)
        case .server: try server(connection)
        case .commit: try commit(connection)
        }
    }
}

// MARK: - Questions

extension PostgreSQLExamination {
    private func version(_ connection: PostgresConnection) throws -> Verdict {
        let number = try connection.run("SELECT current_setting('server_version_num')::int8").integer(0, 0) ?? 0
        let name = try connection.text("SELECT current_setting('server_version')")
        guard number >= 130_000 else {
            return .failed("PostgreSQL \(name) is too old", advice: "Use PostgreSQL 13 or later.")
        }
        return .passed("PostgreSQL \(name)")
    }

    private func encryption(_ connection: PostgresConnection) throws -> Verdict {
        let rows = try connection.run("SELECT ssl, version FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
        guard rows.integer(0, 0) == 1 else {
            return .noted(
                "the connection is not encrypted",
                advice: "Unless the database runs on this machine, add sslmode=verify-full and sslrootcert to the address.")
        }
        return .passed(rows.text(0, 1) ?? "TLS")
    }

    private func role(_ connection: PostgresConnection) throws -> Verdict {
        let isReadOnly = try connection.run(
            "SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean")
        guard isReadOnly.integer(0, 0) == 0 else {
            return .failed(
                "the database can only be read, as a standby",
                advice: "Give the address of the primary, or several hosts with target_session_attrs=read-write.")
        }
        return .passed("it can be written to")
    }

    private func rights(_ connection: PostgresConnection) throws -> Verdict {
        let schema = PostgresValue.text(settings.schema)
        let found = try connection.run(
            """
            SELECT has_schema_privilege(oid, 'CREATE') AND has_schema_privilege(oid, 'USAGE') FROM pg_namespace
            WHERE nspname = convert_from($1, 'UTF8')
            """, [schema])
        if found.count > 0 {
            guard found.integer(0, 0) == 1 else {
                return .failed(
                    "the user has no right to create tables in the schema \(settings.schema)",
                    advice: "Make the user the owner of the schema: ALTER SCHEMA \(settings.quotedSchema) OWNER TO the user.")
            }
            return .passed("the user may make tables in the schema \(settings.schema)")
        }
        guard try connection.run("SELECT has_database_privilege(current_database(), 'CREATE')").integer(0, 0) == 1 else {
            return .failed(
                "there is no schema \(settings.schema), and the user has no right to create it",
                advice: "Create the schema as an administrator: CREATE SCHEMA \(settings.quotedSchema) AUTHORIZATION the user.")
        }
        return .passed("the user may make the schema \(settings.schema)")
    }

    private func tables(_ connection: PostgresConnection) throws -> Verdict {
        let counts = try connection.run(
            """
            SELECT count(*), count(*) FILTER (WHERE tablename = 'store') FROM pg_tables
            WHERE schemaname = convert_from($1, 'UTF8')
            """, [.text(settings.schema)])
        guard let count = counts.integer(0, 0), count > 0 else { return .passed("none yet: a server makes them") }
        guard counts.integer(0, 1) == 1 else { return Self.failure(.foreign(schema: settings.schema)) }
        let rows = try connection.run("SELECT part, version FROM \(settings.quotedSchema).store ORDER BY part")
        var shown: [String] = []
        var isOld = false
        for row in 0..<rows.count {
            let (name, version) = (rows.text(row, 0) ?? "", rows.integer(row, 1) ?? 0)
            shown.append("\(name) version \(version)")
            guard let part = StoredPart(rawValue: name) else { continue }
            let tables = PostgresTables(part, settings)
            guard version <= Int64(tables.migrations.count) else { return Self.failure(.newer(schema: settings.schema)) }
            isOld = isOld || version < Int64(tables.migrations.count)
        }
        let text = shown.joined(separator: ", ")
        return isOld
            ? .noted(text, advice: "A server of this version changes the tables when it starts: make a backup first.")
            : .passed(text)
    }

    private func server(_ connection: PostgresConnection) throws -> Verdict {
        for part in StoredPart.allCases {
            if try PostgresTables(part, settings).isLocked(connection) {
                return .noted(
                    "a server, or a copy, uses the schema \(settings.schema) now",
                    advice:
                        "A second server cannot start. If none should run, look in pg_stat_activity for the application lifeline."
                )
            }
        }
        return .passed("no server uses the schema \(settings.schema)")
    }

    /// Measures how long a commit takes. The transaction writes a message that nobody reads to the write-ahead log. So it waits for the
    /// disk, but changes no table.
    private func commit(_ connection: PostgresConnection) throws -> Verdict {
        let mode = try connection.text("SELECT current_setting('synchronous_commit')")
        let start = try connection.run("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::int8").integer(0, 0) ?? 0
        for _ in 0..<10 { try connection.run("SELECT pg_logical_emit_message(true, 'lifeline', '') IS NOT NULL") }
        let end = try connection.run("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::int8").integer(0, 0) ?? 0
        let milliseconds = Double(max(0, end - start)) / 10_000
        let text = "\((milliseconds * 10).rounded() / 10) ms on average of 10, synchronous_commit is \(mode)"
        guard mode != "off" else {
            return .noted(
                text, advice: "The last messages may be lost when the database stops: set synchronous_commit to on for this user."
            )
        }
        guard milliseconds < 50 else {
            return .noted(text, advice: "Each message waits this long: use a nearer database, or one with a faster disk.")
        }
        return .passed(text)
    }
}

extension PostgresConnection {
    /// The text of the only value that a query returns.
    fileprivate func text(_ sql: String) throws -> String { try run(sql).text(0, 0) ?? "" }
}
