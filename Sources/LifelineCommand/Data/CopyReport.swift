import LifelineServer
import ServerStorage

/// The result of `lifeline data copy`, which is printed at its end.
struct CopyReport {
    /// The directories or addresses of the source and the destination, without passwords.
    let from: String
    let to: String
    let summary: DataCopySummary
    /// The directory with the contents of uploaded files that were not copied; nil for none.
    var files: String?
    /// Further results of a copy from Redis; nil for other sources.
    var redis: Redis?
    /// Notes for the operator: facts to know and steps to take.
    var notes: [String] = []

    struct Redis {
        /// The number of uploaded files, and the number of files whose contents were copied.
        var files: (all: Int, copied: Int) = (0, 0)
        /// The number of chat events that were not copied.
        var leftOut = 0
        /// Whether the cluster now uses a PostgreSQL database beside this Redis (`--beside-redis`).
        var isBeside = false
    }

    private static let head = ["TABLE", "COPIED", "ROWS IN FROM", "ROWS IN TO", "KEPT", "CHECKSUM"]

    /// The copied tables as lines of text. The last column contains the first characters of the table's checksum.
    var lines: [String] {
        let rows = summary.tables.map { table in
            [
                table.table.title, "\(table.copied)", "\(table.sourceRows)", "\(table.targetRows)", "\(table.others)",
                table.isEqual ? "\(table.sourceChecksum.prefix(12)) equal" : "DIFFERENT",
            ]
        }
        let cells = [Self.head] + rows
        let widths = Self.head.indices.map { column in cells.compactMap { $0.element(at: column)?.count }.max() ?? 0 }
        let lines = cells.map { cells in
            let padded = zip(cells, widths).map { $0 + String(repeating: " ", count: max($1 - $0.count, 0)) }
            return padded.joined(separator: "  ").trimmingSpaces
        }
        let different = summary.tables.filter { !$0.isEqual }.map(\.table.title)
        return lines + [
            different.isEmpty
                ? "All tables of the source and the copy are equal."
                : "Tables that differ between the source and the copy: \(different.joined(separator: ", "))."
        ]
    }

    /// One JSON object.
    var json: String {
        var object = JSONObject()
        object.put("from", from)
        object.put("to", to)
        object.put("equal", summary.isEqual)
        let tables = summary.tables.map { table in
            var row = JSONObject()
            row.put("table", table.table.title)
            row.put("copied", table.copied)
            row.put("sourceRows", table.sourceRows)
            row.put("targetRows", table.targetRows)
            row.put("kept", table.others)
            row.put("sourceChecksum", table.sourceChecksum)
            row.put("targetChecksum", table.targetChecksum)
            row.put("equal", table.isEqual)
            return row.text
        }
        object.put("tables", json: "[\(tables.joined(separator: ","))]")
        object.put("files", files)
        if let redis {
            object.put("fileContents", redis.files.all)
            object.put("copiedFileContents", redis.files.copied)
            object.put("leftOut", redis.leftOut)
            object.put("besideRedis", redis.isBeside)
        }
        return object.text
    }
}
