import DatabaseFile

/// The file of a user's database, with the errors of the database.
struct ChatFile: Sendable {
    private let file: DatabaseFile

    init(directory: String, appKey: String, user: String) {
        file = DatabaseFile(directory: directory, parts: [appKey, user], suffix: ".chat")
    }

    var path: String { file.path }
    /// Whether damage was met when the file was last in use.
    var isMarked: Bool { file.isMarked }

    /// Creates the file and its directory if need be, for their owner alone.
    ///
    /// - Returns: whether the file was there.
    func prepare() throws(ChatDatabaseError) -> Bool {
        do throws(DatabaseFileError) { return try file.prepare() } catch { throw ChatDatabaseError(error) }
    }

    /// Keeps others from opening a database of the directory meanwhile (rule CD-60).
    ///
    /// - Parameter patience: how long to wait for the others, in seconds.
    func lock(patience: Double) throws(ChatDatabaseError) -> FileLock {
        do throws(DatabaseFileError) { return try file.lock(patience: patience) } catch { throw ChatDatabaseError(error) }
    }

    /// Remembers that the file is damaged, for the next opening.
    func markDamaged() { file.markDamaged() }

    /// Renames the database and its companion files, and removes the oldest of those that were renamed before.
    func putAside() throws(ChatDatabaseError) {
        do throws(DatabaseFileError) { try file.putAside() } catch { throw ChatDatabaseError(error) }
    }
}
