import DatabaseFile

/// The file of a user's database, as `DatabaseFile` with errors that are converted to ``ChatDatabaseError``.
struct ChatFile: Sendable {
    private let file: DatabaseFile

    init(directory: String, appKey: String, user: String) {
        file = DatabaseFile(directory: directory, parts: [appKey, user], suffix: ".chat")
    }

    var path: String { file.path }
    /// Whether the file was marked as damaged when it was last used.
    var isMarked: Bool { file.isMarked }

    /// Creates the file and its directory if they do not exist, accessible to their owner only.
    ///
    /// - Returns: whether the file existed.
    func prepare() throws(ChatDatabaseError) -> Bool {
        do throws(DatabaseFileError) { return try file.prepare() } catch { throw ChatDatabaseError(error) }
    }

    /// Locks the directory, so that no other process opens a database in this directory while the lock is held (rule CD-60).
    ///
    /// - Parameter patience: how long to wait for other processes, in seconds.
    func lock(patience: Double) throws(ChatDatabaseError) -> FileLock {
        do throws(DatabaseFileError) { return try file.lock(patience: patience) } catch { throw ChatDatabaseError(error) }
    }

    /// Marks the file as damaged, so that the next opening replaces it.
    func markDamaged() { file.markDamaged() }

    /// Moves the database and its companion files aside by renaming them, and deletes the oldest of the files that were moved aside before.
    func putAside() throws(ChatDatabaseError) {
        do throws(DatabaseFileError) { try file.putAside() } catch { throw ChatDatabaseError(error) }
    }
}
