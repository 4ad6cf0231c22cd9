import Identifiers
import ServerStorage

extension PostgreSQLChatStore {
    private struct Inbox: Sendable {
        var application: Identifier
        var name: Identifier
    }

    /// The largest number of rows that one transaction deletes, so that other writes can run between two transactions.
    private static var purgeStep: Int { 1000 }

    public func purge(inboxBefore inbox: UInt64, historyBefore history: UInt64) async throws {
        guard purges else { return }
        let floor = Int64(clamping: inbox)
        guard !database.writer.isClosed else { throw PostgreSQLStoreError.closed }
        var slice = try await dueInboxes(after: nil, before: floor)
        while let last = slice.last {
            var due = slice.due[...]
            while !due.isEmpty { due = try await purge(due, before: floor) }
            slice = try await dueInboxes(after: last, before: floor)
        }
        let loose = "conversation IS NULL AND id < $1"
        while try await purgeEvents(loose, before: floor) == Self.purgeStep {}
        let last = min(floor, Int64(clamping: history))
        try await dropPartitions(before: last)
        while try await purgeEvents("id < $1", before: last) == Self.purgeStep {}
    }

    /// Drops the table partitions in which all events have ids below `floor`, and creates those of the next days (rules PG-31 and PG-32).
    private func dropPartitions(before floor: Int64) async throws {
        let partitions = partitions
        try await partitions.prepare(database, under: check, at: now())
        for partition in try await database.read({ try partitions.list($0) }) where partition.upper <= floor {
            for table in ["receipt", "hidden", "reader"] {
                while try await purgeMarks(table, before: partition.upper) == Self.purgeStep {}
            }
            // If a partition cannot be dropped now, because a long read uses it, a later round drops it. Until then, the events of the
            // partition are deleted one by one.
            _ = try? await database.writer.perform(under: check) { connection in
                try partitions.drop(partition, if: "true", usage: EventUsageStatements.usage, connection)
            }
        }
        _ = try await database.read { try partitions.list($0) }
    }

    /// Deletes up to ``purgeStep`` rows of a table with receipts, hidden messages or readers of old events. Returns their number.
    private func purgeMarks(_ table: String, before floor: Int64) async throws -> Int {
        try await database.writer.perform(under: check) { connection in
            try connection.run(
                "DELETE FROM \(table) WHERE ctid = ANY (ARRAY(SELECT ctid FROM \(table) WHERE event < $1 LIMIT $2))",
                [.integer(floor), .integer(Int64(Self.purgeStep))]
            ).changes
        }
    }

    public func trim(_ limits: [Identifier: HistoryLimits]) async throws -> [Identifier: HistoryUsage] {
        let (database, check) = (database, check)
        let totals = try await database.read { try EventUsageStatements.usage.totals($0) }
        return try await trimmer.trim(limits, totals) { application, limits, from in
            try await database.writer.perform(under: check) {
                try EventUsageStatements.trim(application, limits, from: from, $0)
            }
        }
    }

    /// Searches the next thousand inboxes for those with entries to purge. The search runs concurrently with the writer.
    private func dueInboxes(after: Inbox?, before floor: Int64) async throws -> (due: [Inbox], last: Inbox?) {
        try await database.read { connection in
            let rows = try connection.run(
                """
                SELECT application, name, (
                    SELECT event FROM inbox_entry WHERE inbox_entry.application = inbox.application AND inbox_entry.name = inbox.name
                    ORDER BY sequence LIMIT 1) < $3
                FROM inbox WHERE (application, name) > ($1, $2) ORDER BY application, name LIMIT 1000
                """, [.name(after?.application ?? ""), .name(after?.name ?? ""), .integer(floor)])
            var due: [Inbox] = []
            var last: Inbox?
            for row in 0..<rows.count {
                guard let application = rows.name(row, 0), let name = rows.name(row, 1) else { continue }
                let inbox = Inbox(application: application, name: name)
                if rows.integer(row, 2) == 1 { due.append(inbox) }
                last = inbox
            }
            return (due, last)
        }
    }

    /// Deletes the oldest entries of inboxes in one transaction, and returns the inboxes that still have entries to purge.
    private func purge(_ inboxes: ArraySlice<Inbox>, before floor: Int64) async throws -> ArraySlice<Inbox> {
        try await database.writer.perform(under: check) { connection in
            var left = inboxes
            var room = Self.purgeStep
            while room > 0, let inbox = left.first {
                let place: [PostgresValue] = [.name(inbox.application), .name(inbox.name)]
                // An inbox's positions are in the order of its event ids, so all entries up to the position that this query returns can be
                // deleted.
                let found = try connection.run(
                    """
                    SELECT max(sequence), count(*) FROM (
                        SELECT sequence FROM inbox_entry WHERE application = $1 AND name = $2 AND event < $3
                        ORDER BY sequence LIMIT $4) AS due
                    """, place + [.integer(floor), .integer(Int64(room))])
                let count = Int(clamping: found.integer(0, 1) ?? 0)
                if count < room { left.removeFirst() }
                room -= max(count, 1)
                guard let last = found.integer(0, 0) else { continue }
                try connection.run(
                    "DELETE FROM inbox_entry WHERE application = $1 AND name = $2 AND sequence <= $3",
                    place + [.integer(last)])
                try connection.run(
                    "UPDATE inbox SET last = greatest(last, $3) WHERE application = $1 AND name = $2",
                    place + [.integer(last)])
            }
            return left
        }
    }

    private func purgeEvents(_ condition: String, before floor: Int64) async throws -> Int {
        try await database.writer.perform(under: check) { connection in
            let due = try connection.run(
                "SELECT id FROM event WHERE \(condition) ORDER BY id LIMIT $2",
                [.integer(floor), .integer(Int64(Self.purgeStep))])
            let ids = PostgresValue.integers((0..<due.count).compactMap { due.integer($0, 0) })
            for table in ["receipt", "hidden", "reader"] {
                try connection.run("DELETE FROM \(table) WHERE event = ANY ($1)", [ids])
            }
            try connection.run(EventUsageStatements.deletion, [ids])
            return due.count
        }
    }
}
