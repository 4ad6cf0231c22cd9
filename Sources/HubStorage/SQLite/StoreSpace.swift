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
/// SQLite keeps free pages for later rows, so a database file does not shrink by itself. Only files that were created with `auto_vacuum =
/// INCREMENTAL` can shrink; other files need one `VACUUM` while the server is stopped.
enum StoreSpace {
    /// The number of free pages that one step returns to the file system: 256 KiB, so that other writes wait for at most about 5 ms.
    static let step = 64
    /// The number of times per second that ``step`` pages are returned to the file system while no other write waits.
    static let stepsPerSecond = 16
    /// The number of free pages that stay in a file for later rows: 16 MiB.
    static let kept = 4096

    /// Enables incremental vacuum in an empty file. SQLite accepts this setting only while the file is empty, and stores the setting in the
    /// file.
    static func prepare(file: String) throws {
        // A file with content is not opened here. Only the connection pool opens such a file, so that its write-ahead log stays unchanged
        // until then.
        var status = stat()
        guard stat(file, &status) == 0, status.st_size == 0 else { return }
        let queue = try DatabaseQueue(path: file)
        try queue.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
            // SQLite writes the first page, which contains the vacuum setting, only when something on this page changes. So the user
            // version is set here.
            try database.execute(sql: "PRAGMA user_version = 1")
            try database.execute(sql: "PRAGMA user_version = 0")
        }
        try queue.close()
    }

    /// Returns up to ``step`` pages, if more than a quarter of the file is free.
    ///
    /// - Returns: whether pages were returned, so that another step may return more.
    static func giveBack(_ database: Database, keeping kept: Int = kept) throws -> Bool {
        let free = try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0
        guard free > kept, free > (try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0) / 4 else { return false }
        try database.execute(sql: "PRAGMA incremental_vacuum(\(min(step, free - kept)))")
        return try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0 < free
    }
}

extension StoreWriter {
    /// Performs one step of returning free pages to the file system. The step comes after all writes that are already queued.
    @discardableResult
    func giveSpaceBack(keeping kept: Int = StoreSpace.kept) async throws(MessageStoreError) -> Bool {
        try await perform(inTransaction: false) { try StoreSpace.giveBack($0, keeping: kept) }
    }
}
