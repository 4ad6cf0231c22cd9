import ServerStorage

/// Copies all stored data of one directory or database (the source) to another (the target), and compares both afterwards (rules DC-1 to
/// DC-9).
///
/// Both are read in the order of the keys, side by side. Therefore an interrupted copy continues with the missing rows, and only one page
/// of rows is in memory.
package struct DataCopy {
    /// The progress of a copy, to be displayed.
    package struct Progress: Hashable, Sendable {
        package enum Phase: String, Sendable { case copying, verifying }

        package var phase: Phase
        package var table: StoredTable
        /// The number of rows of all tables that this phase has processed so far.
        package var rows: Int
        /// The number of rows of all tables.
        package var total: Int

        package init(phase: Phase, table: StoredTable, rows: Int, total: Int) {
            self.phase = phase
            self.table = table
            self.rows = rows
            self.total = total
        }
    }

    /// The size of a page of rows. One transaction writes a page.
    package struct PageLimits: Hashable, Sendable {
        package var rows: Int
        package var bytes: Int

        package init(rows: Int = 1000, bytes: Int = 4 << 20) {
            self.rows = rows
            self.bytes = bytes
        }
    }

    private let source: any StoredTables
    private let target: any WritableStoredTables
    private let replacesOthers: Bool
    private let expiry: UInt64?
    private let limits: PageLimits
    private let report: (Progress) -> Void

    /// - Parameters:
    ///   - source: the tables that are read.
    ///   - target: the tables that are written.
    ///   - replacesOthers: whether rows of the source replace other rows with the same key, and whether rows that only the target has may stay.
    /// If false, such rows are an error.
    ///   - expiry: the Unix time in units of 100 ns. Rows that have expired then are neither copied nor compared (DC-13); nil for none.
    ///   - limits: the size of a page.
    ///   - report: called after each page, and often while comparing.
    package init(
        from source: any StoredTables, to target: any WritableStoredTables, replacesOthers: Bool = false,
        expiry: UInt64? = nil, limits: PageLimits = PageLimits(), report: @escaping (Progress) -> Void = { _ in }
    ) {
        self.source = source
        self.target = target
        self.replacesOthers = replacesOthers
        self.expiry = expiry
        self.limits = limits
        self.report = report
    }

    /// Copies the rows, and compares source and target afterwards.
    ///
    /// - Throws: `DataCopyError`, or an error of a store. Rows that were copied before the error stay, and the next run continues after
    ///   them.
    /// - Returns: the result of the comparison.
    package func run() throws -> DataCopySummary { try compare(try copy()) }

    /// Copies and compares, for a source whose rows must first be read from Redis.
    ///
    /// - Parameter reread: called between copy and comparison. It reads the rows of the source again.
    package func run(_ reread: () async throws -> Void) async throws -> DataCopySummary {
        let copied = try copy()
        try await reread()
        return try compare(copied)
    }

    private var tables: [StoredTable] {
        let parts = source.parts
        return StoredTable.all.filter { parts.contains($0.part) }
    }

    /// Copies all tables.
    ///
    /// - Returns: the number of rows that were written, for each table.
    private func copy() throws -> [Int] {
        if !replacesOthers {
            for table in tables where try !isBeginning(table) { throw DataCopyError.otherData(table: table.title) }
        }
        return try eachTable(.copying) { table, progress in try copy(table, progress) }
    }

    private func compare(_ copied: [Int]) throws -> DataCopySummary {
        let outcomes = try eachTable(.verifying) { table, progress in try compare(table, progress) }
        return DataCopySummary(
            tables: zip(outcomes, copied).map { outcome, copied in
                var outcome = outcome
                outcome.copied = copied
                return outcome
            })
    }

    private func eachTable<Value>(
        _ phase: Progress.Phase, _ body: (StoredTable, _ progress: (Int) -> Void) throws -> Value
    ) throws -> [Value] {
        let counts = try tables.map { try source.count($0) }
        let total = counts.reduce(0, +)
        var done = 0
        return try zip(tables, counts).map { table, count in
            defer { done += count }
            return try body(table) { report(Progress(phase: phase, table: table, rows: done + $0, total: total)) }
        }
    }

    private func merge<Value>(
        _ table: StoredTable, skipsTarget: Bool = false, _ body: (inout RowMerge) throws -> Value
    ) throws -> Value {
        try source.read(table) { rows in
            let source = unexpired(rows, table)
            // A table of the target that has no rows is not read, because a long read would keep SQLite from emptying its write-ahead log.
            guard !skipsTarget else {
                var merge = RowMerge(table: table, source: source, target: { nil })
                return try body(&merge)
            }
            return try target.read(table) { rows in
                var merge = RowMerge(table: table, source: source, target: unexpired(rows, table))
                return try body(&merge)
            }
        }
    }

    /// Skips rows that have expired. The other rows are copied and compared.
    private func unexpired(_ next: @escaping () throws -> StoredRow?, _ table: StoredTable) -> () throws -> StoredRow? {
        guard let expiry else { return next }
        return {
            while let row = try next() {
                if !table.hasExpired(row, at: expiry) { return row }
            }
            return nil
        }
    }

    /// Whether the target contains only rows of the source with the same values: it is empty, or an earlier copy was interrupted.
    private func isBeginning(_ table: StoredTable) throws -> Bool {
        guard table.conflict == .other || table.conflict == .numbered else { return true }
        return try merge(table) { merge in
            while try merge.hasTarget(), let pair = try merge.next() {
                guard case .both(let row, let present) = pair else {
                    if case .source = pair { continue }
                    return false
                }
                guard row == present else { return false }
            }
            return true
        }
    }

    /// Copies one table.
    ///
    /// - Parameter progress: called with the number of rows of the source that have been processed.
    /// - Returns: the number of rows that were written.
    private func copy(_ table: StoredTable, _ progress: (Int) -> Void) throws -> Int {
        var page: [StoredRow] = []
        var bytes = 0
        var seen = 0
        var written = 0
        func flush() throws {
            guard !page.isEmpty else { return }
            try target.write(page, into: table)
            written += page.count
            page.removeAll(keepingCapacity: true)
            bytes = 0
            progress(seen)
        }
        try merge(table, skipsTarget: try target.count(table) == 0) { merge in
            while let pair = try merge.next() {
                guard let row = try Self.missing(pair, in: table) else {
                    if pair.isOfSource { seen += 1 }
                    if seen % 1000 == 0 { progress(seen) }
                    continue
                }
                seen += 1
                page.append(row)
                bytes += row.reduce(0) { $0 + $1.size }
                if page.count >= limits.rows || bytes >= limits.bytes { try flush() }
            }
        }
        try flush()
        try target.finish(table)
        progress(seen)
        return written
    }

    /// The row that must be written to the target; nil if the target already has the right row.
    private static func missing(_ pair: RowMerge.Pair, in table: StoredTable) throws -> StoredRow? {
        switch pair {
        case .target: return nil
        case .source(let row): return row
        case .both(let row, let present):
            guard row != present else { return nil }
            switch table.conflict {
            case .other, .initial: return row
            case .numbered: throw DataCopyError.otherNumbers(table: table.title)
            case .limit: return table.isLarger(row, than: present) ? row : nil
            }
        }
    }

    /// Reads a table of source and target again, and compares the rows.
    private func compare(_ table: StoredTable, _ progress: (Int) -> Void) throws -> DataCopySummary.Table {
        var outcome = DataCopySummary.Table(table: table)
        var checksums = (source: RowChecksum(), target: RowChecksum())
        try merge(table) { merge in
            while let pair = try merge.next() {
                switch pair {
                case .source(let row):
                    outcome.sourceRows += 1
                    checksums.source.add(row)
                case .target(let row):
                    // The target's store makes this row itself when it is opened. The source lacks the row if the source is a cluster that
                    // never served chat.
                    if table.conflict == .initial { continue }
                    // Rows that only the target has and that the operator wants to keep are counted, and are not a difference.
                    guard !replacesOthers else {
                        outcome.others += 1
                        continue
                    }
                    outcome.targetRows += 1
                    checksums.target.add(row)
                case .both(let row, let present):
                    outcome.sourceRows += 1
                    outcome.targetRows += 1
                    checksums.source.add(row)
                    // In a table of limits the copy keeps the larger limit of both rows, so a larger limit in the target counts as equal.
                    let isRight = table.conflict == .limit && table.isLarger(present, than: row)
                    checksums.target.add(isRight ? row : present)
                }
                if outcome.sourceRows % 1000 == 0 { progress(outcome.sourceRows) }
            }
        }
        progress(outcome.sourceRows)
        outcome.sourceChecksum = checksums.source.text
        outcome.targetChecksum = checksums.target.text
        return outcome
    }
}

extension StoredTable {
    /// Whether the last value of a row is larger than the last value of another row.
    fileprivate func isLarger(_ row: StoredRow, than other: StoredRow) -> Bool {
        guard let value = row.last, let present = other.last else { return false }
        return value > present
    }
}

/// Why data were not copied. Each error says what to do.
package enum DataCopyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The target has rows that the source lacks, or rows with the same key and other values.
    case otherData(table: String)
    /// The table's keys are numbers that a store assigns, and the target has other rows with the same numbers as the source.
    case otherNumbers(table: String)

    package var description: String {
        switch self {
        case .otherData(let table):
            "the target has other data already (in the table \(table)): choose an empty one, or keep them with --continue, which replaces "
                + "rows with the same key by those of the source"
        case .otherNumbers(let table):
            "the target has other rows under the same numbers in the table \(table), which --continue does not replace: choose an empty target"
        }
    }
}
