/// The tables of a data store, while no server uses it. Calls block, and come from one thread at a time.
package protocol StoredTables {
    /// The parts that this data store has or can have.
    var parts: Set<StoredPart> { get }

    /// The number of rows.
    func count(_ table: StoredTable) throws -> Int

    /// Reads all rows in the order of their keys, as they are when the call begins. Only some of them are in memory at a time.
    ///
    /// - Parameter body: gets a function that returns the next row, or nil after the last one. It must not be called after `body` has returned.
    func read<Value>(_ table: StoredTable, _ body: (_ next: @escaping () throws -> StoredRow?) throws -> Value) throws -> Value

    /// Gives up the locks, and closes files and connections. No other call follows.
    func close()
}

/// Tables that can be written to.
package protocol WritableStoredTables: StoredTables {
    /// Writes rows in one transaction. A row with the key of another one takes its place. May be called while the table is read.
    func write(_ rows: [StoredRow], into table: StoredTable) throws

    /// Called when all rows of a table are written.
    func finish(_ table: StoredTable) throws
}
