import Crypto

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The file of a client's database. Each user has a separate file, which only the file's owner can access (rules CD-1, CD-2).
package struct DatabaseFile: Sendable {
    package let directory: String
    package let path: String

    /// The number of a user's damaged files that are kept. Before one more is moved aside, the oldest is deleted.
    package static let keptAside = 3
    /// The suffixes of the files that SQLite creates beside the database.
    private static let companions = ["-wal", "-shm", "-journal"]

    /// - Parameters:
    ///   - parts: the texts that identify the database, such as an application and a user. The name of the file is a hash of them.
    ///   - suffix: the end of the file's name, such as `.chat`.
    package init(directory: String, parts: [String], suffix: String) {
        self.directory = directory
        // Each part has its length in front. Otherwise different parts could give the same text when joined.
        let text = parts.dropLast().map { "\($0.utf8.count):\($0)" }.joined() + (parts.last ?? "")
        let digest = SHA256.hash(data: Array(text.utf8)).prefix(16)
        path = directory + "/" + digest.map { Self.hex($0 >> 4) + Self.hex($0 & 15) }.joined() + suffix
    }

    private static func hex(_ digit: UInt8) -> String { String(digit, radix: 16) }

    /// Creates the directory and the file if they do not exist. SQLite itself would create a file that other users can read.
    /// - Returns: whether the file existed already.
    package func prepare() throws(DatabaseFileError) -> Bool {
        try createDirectory()
        var status = stat()
        if stat(path, &status) == 0 {
            // The file is not opened here. Closing it would release the locks of all SQLite connections that this process has to the file,
            // and SQLite would then treat these connections as if their process had ended (rule CD-62).
            guard status.st_mode & S_IFMT == S_IFREG else { throw .unusable(reason: String(cString: strerror(EISDIR))) }
            guard access(path, R_OK | W_OK) == 0 else { throw Self.unusable() }
            return true
        }
        // A file beside the database marks it as damaged. It belonged to a database that was moved aside, so it is deleted before the new
        // database is created.
        unlink(mark)
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor < 0, errno == EEXIST { return true }
        guard descriptor >= 0 else { throw Self.unusable() }
        close(descriptor)
        FolderCreation.excludeFromBackups(path)
        return false
    }

    /// Locks the directory, so that no other process and no other thread of this process opens a database in it at the same time. Otherwise
    /// a file that is still being created would look damaged, and would be moved aside (rule CD-60). The system releases the lock when the
    /// process ends.
    ///
    /// - Parameter patience: how long to wait until the lock is free, in seconds.
    /// - Throws: ``DatabaseFileError/locked`` when the lock is not free after that time.
    package func lock(patience: Double) throws(DatabaseFileError) -> FileLock {
        try createDirectory()
        return try Self.lock(open(directory, O_RDONLY | O_CLOEXEC), patience: patience)
    }

    /// Locks the file without waiting, so that no other process and no other caller in this process uses it until the lock is released.
    ///
    /// - Throws: ``DatabaseFileError/locked`` when another process or caller uses the file.
    package func reserve() throws(DatabaseFileError) -> FileLock {
        try createDirectory()
        return try Self.lock(open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600), patience: 0)
    }

    private static func lock(_ descriptor: Int32, patience: Double) throws(DatabaseFileError) -> FileLock {
        guard descriptor >= 0 else { throw unusable() }
        let pause: useconds_t = 5_000
        var left = max(patience, 0) * 1_000_000
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            guard errno == EWOULDBLOCK else {
                // The file system does not support locks, so this process continues without one.
                break
            }
            guard left > 0 else {
                close(descriptor)
                throw .locked
            }
            usleep(pause)
            left -= Double(pause)
        }
        return FileLock(descriptor: descriptor)
    }

    private func createDirectory() throws(DatabaseFileError) {
        guard let number = FolderCreation.create(directory) else { return }
        throw number == ENOTDIR ? .unusable(reason: "not a directory") : .unusable(reason: String(cString: strerror(number)))
    }

    // MARK: - Damage

    private var mark: String { path + ".bad" }

    /// Whether the file was marked as damaged when it was last in use; see ``markDamaged()``.
    package var isMarked: Bool {
        var status = stat()
        return stat(mark, &status) == 0
    }

    /// Marks the file as damaged, by an empty file beside it, so that the next opening moves it aside.
    package func markDamaged() {
        let descriptor = open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }

    /// Moves the database and its companion files aside by renaming them, and deletes the oldest of those that were moved aside before.
    package func putAside() throws(DatabaseFileError) {
        let oldest = aside(Self.keptAside)
        for suffix in [""] + Self.companions { unlink(oldest + suffix) }
        for number in stride(from: Self.keptAside - 1, through: 1, by: -1) {
            for suffix in [""] + Self.companions { rename(aside(number) + suffix, aside(number + 1) + suffix) }
        }
        for suffix in Self.companions { rename(path + suffix, aside(1) + suffix) }
        guard rename(path, aside(1)) == 0 || errno == ENOENT else { throw Self.unusable() }
        unlink(mark)
    }

    private func aside(_ number: Int) -> String { path + ".damaged-\(number)" }

    private static func unusable() -> DatabaseFileError { .unusable(reason: String(cString: strerror(errno))) }
}

/// A lock on a file or folder. The system releases it when the process ends.
package struct FileLock: Sendable {
    fileprivate let descriptor: Int32

    /// Releases the lock. Call it only once.
    package func release() {
        close(descriptor)
    }
}

/// The reason why the file of a database cannot be used.
package enum DatabaseFileError: Error, Hashable, Sendable {
    /// Another process, or another caller in this process, uses the file.
    case locked
    /// The folder or the file cannot be read or written; `reason` is the system's error text.
    case unusable(reason: String)
}
