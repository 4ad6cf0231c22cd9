import Crypto
import ServerStorage

/// The result of the comparison of source and target after a copy.
package struct DataCopySummary: Sendable {
    package struct Table: Sendable {
        package var table: StoredTable
        /// The number of rows of this table that the copy has written.
        package var copied = 0
        package var sourceRows = 0
        package var targetRows = 0
        /// The number of rows that only the target has and that the operator wanted to keep.
        package var others = 0
        /// SHA-256 of all rows in the order of their keys, in hexadecimal.
        package var sourceChecksum = ""
        package var targetChecksum = ""

        package var isEqual: Bool { sourceRows == targetRows && sourceChecksum == targetChecksum }

        init(table: StoredTable) { self.table = table }
    }

    package var tables: [Table]

    /// Whether every table has the same rows in source and target.
    package var isEqual: Bool { tables.allSatisfy(\.isEqual) }
}

/// A checksum over rows. It is the same for equal rows of different kinds of stores.
struct RowChecksum {
    private var hash = SHA256()

    /// Each value is preceded by a letter for its type, and by its length if that varies, so that different rows never have the same bytes.
    mutating func add(_ row: StoredRow) {
        for value in row {
            switch value {
            case .null: hash.update(data: [UInt8(ascii: "n")])
            case .integer(let number):
                hash.update(data: [UInt8(ascii: "i")] + withUnsafeBytes(of: number.bigEndian) { Array($0) })
            case .bytes(let bytes):
                hash.update(data: [UInt8(ascii: "b")] + withUnsafeBytes(of: Int64(bytes.count).bigEndian) { Array($0) })
                hash.update(data: bytes)
            }
        }
        hash.update(data: [UInt8(ascii: "r")])
    }

    var text: String {
        hash.finalize().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
