import Crypto

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Where the database of a user lies: one file for each application and user, private to its owner (rules CD-1, CD-2).
struct ChatFile: Sendable {
    let directory: String
    let path: String

    /// How many damaged files of a user are kept.
    static let keptAside = 3
    /// SQLite's own files beside the database.
    private static let companions = ["-wal", "-shm", "-journal"]

    init(directory: String, appKey: String, user: String) {
        self.directory = directory
        // The length keeps apart keys and users that join to the same text.
        let text = "\(appKey.utf8.count):\(appKey)\(user)"
        let digest = SHA256.hash(data: Array(text.utf8)).prefix(16)
        path = directory + "/" + digest.map { Self.hex($0 >> 4) + Self.hex($0 & 15) }.joined() + ".chat"
    }

    private static func hex(_ digit: UInt8) -> String { String(digit, radix: 16) }

    /// Creates the directory if need be, and the file, since SQLite would give new ones to everybody.
    /// - Returns: whether the file was there.
    func prepare() throws(ChatDatabaseError) -> Bool {
        try createDirectory()
        var status = stat()
        let wasThere = stat(path, &status) == 0
        // What was said of a file that somebody took away is not true of the next one.
        if !wasThere { unlink(mark) }
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.unusable() }
        close(descriptor)
        if !wasThere { FolderCreation.excludeFromBackups(path) }
        return wasThere
    }

    /// Keeps other processes, and other threads of this one, from opening a database of the directory meanwhile: a file that another one is
    /// making looks damaged, and would be put aside (rule CD-60). Ends with the process at the latest.
    ///
    /// - Parameter patience: how long to wait for the others, in seconds.
    /// - Throws: ``ChatDatabaseError/locked`` when that was not enough.
    func lock(patience: Double) throws(ChatDatabaseError) -> OpeningLock {
        try createDirectory()
        let descriptor = open(directory, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.unusable() }
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
        return OpeningLock(descriptor: descriptor)
    }

    private func createDirectory() throws(ChatDatabaseError) {
        guard let number = FolderCreation.create(directory) else { return }
        throw number == ENOTDIR ? .unusable(reason: "not a directory") : .unusable(reason: String(cString: strerror(number)))
    }

    // MARK: - Damage

    private var mark: String { path + ".bad" }

    /// Whether damage was met when the file was last in use.
    var isMarked: Bool {
        var status = stat()
        return stat(mark, &status) == 0
    }

    /// Remembers that the file is damaged, for the next opening.
    func markDamaged() {
        let descriptor = open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }

    /// Renames the database and what belongs to it, and forgets the oldest of those put aside before.
    func putAside() throws(ChatDatabaseError) {
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

    private static func unusable() -> ChatDatabaseError { .unusable(reason: String(cString: strerror(errno))) }
}

/// Held while a database is opened.
struct OpeningLock {
    fileprivate let descriptor: Int32

    /// Lets the next one in. Once.
    func release() {
        close(descriptor)
    }
}
