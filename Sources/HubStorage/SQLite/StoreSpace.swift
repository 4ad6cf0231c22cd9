import GRDB

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Returns the space of deleted data to the file system (rule HB-71).
///
/// Without this a database file never shrinks, because SQLite keeps free pages for later rows. Only files that were created with
/// the right setting can shrink; others need one `VACUUM` while the server is stopped.
enum StoreSpace {
    /// The number of pages that one step returns, 256 KiB, so that other writes wait for about 5 ms at most.
    static let step = 64
    /// The number of steps per second while no other writes wait.
    static let stepsPerSecond = 16
    /// The number of free pages that stay in a file, 16 MiB.
    static let kept = 4096

    /// Prepares an empty file. SQLite accepts this setting only before anything else is written, and stores it in the file.
    static func prepare(file: String) throws {
        // Only the pool opens a file with content, which leaves the write-ahead log unchanged.
        var status = stat()
        guard stat(file, &status) == 0, status.st_size == 0 else { return }
        let queue = try DatabaseQueue(path: file)
        try queue.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
            // This writes the first page.
            try database.execute(sql: "PRAGMA user_version = 1")
            try database.execute(sql: "PRAGMA user_version = 0")
        }
        try queue.close()
    }

    /// Performs one step, if more than a quarter of the file is free.
    ///
    /// - Returns: whether pages were returned, so that another step may find more.
    static func giveBack(_ database: Database, keeping kept: Int = kept) throws -> Bool {
        let free = try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0
        guard free > kept, free > (try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0) / 4 else { return false }
        try database.execute(sql: "PRAGMA incremental_vacuum(\(min(step, free - kept)))")
        return try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0 < free
    }
}

extension StoreWriter {
    /// Performs one step of returning space, in the order of the writer's queue.
    @discardableResult
    func giveSpaceBack(keeping kept: Int = StoreSpace.kept) async throws(MessageStoreError) -> Bool {
        try await perform(inTransaction: false) { try StoreSpace.giveBack($0, keeping: kept) }
    }
}
