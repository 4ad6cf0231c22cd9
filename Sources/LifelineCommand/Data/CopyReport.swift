import LifelineServer
import ServerStorage

/// What is printed after a copy.
struct CopyReport {
    let from: DataPlace
    let to: DataPlace
    let summary: DataCopySummary

    private static let head = ["TABLE", "COPIED", "ROWS IN FROM", "ROWS IN TO", "KEPT", "CHECKSUM"]

    /// The lines of a table for people. The last column has the first characters of the checksum.
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
        return lines + [different.isEmpty ? "All tables are equal." : "Not equal: \(different.joined(separator: ", "))."]
    }

    /// One JSON object.
    var json: String {
        var object = JSONObject()
        object.put("from", from.shown)
        object.put("to", to.shown)
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
        object.put("files", from.files)
        return object.text
    }

    /// What the operator has to do; nil for nothing.
    var note: String? {
        from.files.map { files in
            let place = to.isDatabase ? "the directory that the server's setting dataFiles names" : "\(to.shown)/files"
            return "the contents of uploaded files were not copied: copy \(files) to \(place), with the server's user as owner."
        }
    }
}
