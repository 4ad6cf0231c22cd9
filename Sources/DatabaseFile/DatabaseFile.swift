import Crypto

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Where a database of a client lies: one file for each user, private to its owner (rules CD-1, CD-2).
package struct DatabaseFile: Sendable {
    package let directory: String
    package let path: String

    /// How many damaged files of a user are moved aside before the oldest is deleted.
    package static let keptAside = 3
    /// SQLite's own files beside the database.
    private static let companions = ["-wal", "-shm", "-journal"]

    /// - Parameters:
    ///   - parts: what the file belongs to, such as an application and a user. The name of the file is a hash of them.
    ///   - suffix: the end of the name, such as `.chat`.
    package init(directory: String, parts: [String], suffix: String) {
        self.directory = directory
        // The lengths keep apart parts that join to the same text.
        let text = parts.dropLast().map { "\($0.utf8.count):\($0)" }.joined() + (parts.last ?? "")
        let digest = SHA256.hash(data: Array(text.utf8)).prefix(16)
        path = directory + "/" + digest.map { Self.hex($0 >> 4) + Self.hex($0 & 15) }.joined() + suffix
    }

    private static func hex(_ digit: UInt8) -> String { String(digit, radix: 16) }

    /// Creates the directory if need be, and the file, since SQLite would give new ones to everybody.
    /// - Returns: whether the file was there.
    package func prepare() throws(DatabaseFileError) -> Bool {
        try createDirectory()
        var status = stat()
        if stat(path, &status) == 0 {
            // Not opened: closing it would release the locks that SQLite has for other databases of this process on the same file, and
            // each of these would take the other's process for dead (rule CD-62).
            guard status.st_mode & S_IFMT == S_IFREG else { throw .unusable(reason: String(cString: strerror(EISDIR))) }
            guard access(path, R_OK | W_OK) == 0 else { throw Self.unusable() }
            return true
        }
        // A mark that belongs to a file which was moved aside does not apply to its successor.
        unlink(mark)
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor < 0, errno == EEXIST { return true }
        guard descriptor >= 0 else { throw Self.unusable() }
        close(descriptor)
        FolderCreation.excludeFromBackups(path)
        return false
    }

    /// Keeps other processes, and other threads of this one, from opening a database of the directory meanwhile: a file that another one is
    /// making looks damaged, and would be put aside (rule CD-60). Ends with the process at the latest.
    ///
    /// - Parameter patience: how long to wait for the others, in seconds.
    /// - Throws: ``DatabaseFileError/locked`` when that was not enough.
    package func lock(patience: Double) throws(DatabaseFileError) -> FileLock {
        try createDirectory()
        return try Self.lock(open(directory, O_RDONLY | O_CLOEXEC), patience: patience)
    }

    /// Keeps other processes, and other callers in this one, from using the file, until the lock is released. Does not wait.
    ///
    /// - Throws: ``DatabaseFileError/locked`` when somebody else uses it.
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
                // A file system without locks: then there are none.
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

    /// Whether damage was met when the file was last in use.
    package var isMarked: Bool {
        var status = stat()
        return stat(mark, &status) == 0
    }

    /// Remembers that the file is damaged, for the next opening.
    package func markDamaged() {
        let descriptor = open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }

    /// Renames the database and its companion files, and deletes the oldest of those that were renamed before.
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

    /// Lets others in. To be called once.
    package func release() {
        close(descriptor)
    }
}

/// Why the file of a database cannot be used.
package enum DatabaseFileError: Error, Hashable, Sendable {
    /// Another process, or another caller in this one, uses the file.
    case locked
    /// The folder or the file cannot be read or written; `reason` is the system's word for it.
    case unusable(reason: String)
}
