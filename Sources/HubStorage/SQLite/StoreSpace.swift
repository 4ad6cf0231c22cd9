import GRDB

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Gives the space of what was deleted back to the file system (rule HB-71).
///
/// Without this the file of a database has its greatest size for ever: SQLite keeps free pages for later rows. Only files that were made
/// for it can do so; others need a `VACUUM` once, while the server is stopped.
enum StoreSpace {
    /// Pages that one step gives back, 256 KiB, so that who writes meanwhile waits for some 5 ms at most.
    static let step = 64
    /// Steps of a second, where nothing waits for the space.
    static let stepsPerSecond = 16
    /// Free pages that stay in a file, 16 MiB.
    static let kept = 4096

    /// Makes an empty file ready. SQLite takes this setting before anything else is written, and keeps it with the file.
    static func prepare(file: String) throws {
        // Whatever has content is opened by the pool only, which leaves the write-ahead log as it is.
        var status = stat()
        guard stat(file, &status) == 0, status.st_size == 0 else { return }
        let queue = try DatabaseQueue(path: file)
        try queue.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
            // Writes the first page.
            try database.execute(sql: "PRAGMA user_version = 1")
            try database.execute(sql: "PRAGMA user_version = 0")
        }
        try queue.close()
    }

    /// Does one step, if more than a quarter of the file is free.
    ///
    /// - Returns: whether pages were given back, so that another step may find more.
    static func giveBack(_ database: Database, keeping kept: Int = kept) throws -> Bool {
        let free = try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0
        guard free > kept, free > (try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0) / 4 else { return false }
        try database.execute(sql: "PRAGMA incremental_vacuum(\(min(step, free - kept)))")
        return try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0 < free
    }
}

extension StoreWriter {
    /// Gives space back in its turn, one step.
    @discardableResult
    func giveSpaceBack(keeping kept: Int = StoreSpace.kept) async throws(MessageStoreError) -> Bool {
        try await perform(inTransaction: false) { try StoreSpace.giveBack($0, keeping: kept) }
    }
}
