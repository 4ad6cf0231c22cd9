/// The tables of a data store that no server uses, for copying its data. Calls block, and come from one thread at a time.
package protocol StoredTables {
    /// The parts of a server's data that this store has or can have.
    var parts: Set<StoredPart> { get }

    /// Returns the number of rows of a table.
    func count(_ table: StoredTable) throws -> Int

    /// Reads all rows of a table in the order of their keys, in their state at the beginning of the call. Only some rows are in memory at a
    /// time.
    ///
    /// - Parameter body: its argument is a function that returns the next row, or nil after the last one. This function must not be called
    ///   after `body` has returned.
    func read<Value>(_ table: StoredTable, _ body: (_ next: @escaping () throws -> StoredRow?) throws -> Value) throws -> Value

    /// Releases the locks, and closes files and connections. No method is called afterwards.
    func close()
}

/// Tables that can be written to.
package protocol WritableStoredTables: StoredTables {
    /// Writes rows in one transaction. A row replaces an existing row with the same key. May be called while the table is being read.
    func write(_ rows: [StoredRow], into table: StoredTable) throws

    /// Called when all rows of a table are written.
    func finish(_ table: StoredTable) throws
}
