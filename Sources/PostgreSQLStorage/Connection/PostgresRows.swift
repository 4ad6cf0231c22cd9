import Identifiers

/// The result of a statement in libpq's memory, which is freed with this object. One thread uses it.
final class PostgresRows {
    private let result: OpaquePointer
    private let libpq: LibPQ
    let count: Int
    private let columns: Int

    /// Takes over the ownership of a libpq result.
    init(_ result: OpaquePointer, _ libpq: LibPQ) {
        self.result = result
        self.libpq = libpq
        count = Int(libpq.ntuples(result))
        columns = Int(libpq.nfields(result))
    }

    deinit { libpq.clear(result) }

    /// The number of rows that the statement changed.
    var changes: Int { libpq.cmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0 }

    /// The bytes of a value; nil for NULL, and for a row or column that the result does not have.
    func bytes(_ row: Int, _ column: Int) -> [UInt8]? { raw(row, column).map { [UInt8]($0) } }

    func text(_ row: Int, _ column: Int) -> String? { raw(row, column).map { String(decoding: $0, as: UTF8.self) } }

    func name(_ row: Int, _ column: Int) -> Identifier? { text(row, column).map { Identifier($0) } }

    /// The value of an integer of two, four or eight bytes, or of a boolean; nil for NULL.
    func integer(_ row: Int, _ column: Int) -> Int64? {
        guard let bytes = raw(row, column), let first = bytes.first else { return nil }
        switch bytes.count {
        case 1: return Int64(first)
        case 2, 4, 8: return bytes.dropFirst().reduce(Int64(Int8(bitPattern: first))) { $0 << 8 | Int64($1) }
        default: return nil
        }
    }

    private func raw(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer? {
        guard 0 <= row, row < count, 0 <= column, column < columns else { return nil }
        let (row, column) = (Int32(row), Int32(column))
        guard libpq.getisnull(result, row, column) == 0 else { return nil }
        return UnsafeRawBufferPointer(
            start: libpq.getvalue(result, row, column), count: Int(libpq.getlength(result, row, column)))
    }
}
