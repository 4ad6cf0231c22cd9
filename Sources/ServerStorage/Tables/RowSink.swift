/// Receives rows in any order, from a source that cannot return them in the order of their keys. May be used from any thread.
package protocol RowSink: Sendable {
    /// Adds a row, which replaces an earlier row with the same key. Exceptions: of two limits the larger one stays, and of two rows that a
    /// store makes when it is opened the first one stays.
    ///
    /// - Parameter row: in a table whose key is a number, the first value is the row's position in the order of the table, and several rows
    ///   may have the same position. The key's numbers are assigned afterwards.
    func put(_ row: StoredRow, into table: StoredTable) throws

    /// Returns the row with a key that was added before; nil for none. Not for tables whose key is a number that is assigned afterwards.
    func row(_ key: StoredRow, of table: StoredTable) throws -> StoredRow?
}
