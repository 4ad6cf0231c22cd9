/// Takes rows in any order, from a place that cannot give them in the order of their keys. May be used from any thread.
package protocol RowSink: Sendable {
    /// Adds a row. It takes the place of a row with the same key; of a limit the larger one stays, of a row that a store makes when it is
    /// opened the first one.
    ///
    /// - Parameter row: in a table whose key is a number, the first value is the row's place among the rows of the table, and several rows may
    ///   have the same place. The numbers are assigned afterwards.
    func put(_ row: StoredRow, into table: StoredTable) throws

    /// The row with a key that was added before; nil for none. Not for tables whose key is a number that is assigned afterwards.
    func row(_ key: StoredRow, of table: StoredTable) throws -> StoredRow?
}
