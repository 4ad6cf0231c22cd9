/// Receives rows in any order, from a source that cannot return them in the order of their keys. May be used from any thread.
package protocol RowSink: Sendable {
    /// Adds a row, which replaces an earlier row with the same key. There are two exceptions. Of two limits with the same key, the larger
    /// one stays. Of two rows that every store makes when it is opened, the first one stays.
    ///
    /// - Parameter row: in a table whose key is a number, the first value is the row's position in the order of the table, and several rows
    ///   may have the same position. The numbers of the key are assigned afterwards.
    func put(_ row: StoredRow, into table: StoredTable) throws

    /// Returns the row that was added before with this key; nil for none. Do not call it for tables whose key is a number, because these
    /// numbers are assigned afterwards.
    func row(_ key: StoredRow, of table: StoredTable) throws -> StoredRow?
}
