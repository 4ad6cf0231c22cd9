import NIOConcurrencyHelpers

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The directory of a store: private to its owner, and held by one process at a time (rule HB-45). Stores with different files
/// share a directory.
///
/// The lock belongs to an open file, so the system releases it when the process ends, however that happens.
final class StoreDirectory: Sendable {
    let path: String
    let databaseFile: String
    /// Descriptor of the lock file; -1 once released.
    private let lock: NIOLockedValueBox<Int32>

    init(path: String, file: String = "lifeline.sqlite", lockFile: String = "lock") throws(MessageStoreError) {
        self.path = path
        databaseFile = path + "/" + file
        try Self.create(path)
        lock = NIOLockedValueBox(try Self.lock(path, lockFile))
        // Made beforehand, since SQLite gives new files to everybody; its other files take over the rights of this one.
        let database = open(databaseFile, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard database >= 0 else {
            let error = Self.unusable(databaseFile)
            release()
            throw error
        }
        close(database)
    }

    deinit { release() }

    func release() {
        let descriptor = lock.withLockedValue { descriptor in
            defer { descriptor = -1 }
            return descriptor
        }
        guard descriptor >= 0 else { return }
        // Not by closing alone: a child that was forked a moment ago has the file open until it runs its own program.
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Creates the directory and those above it, each for the owner alone.
    private static func create(_ path: String) throws(MessageStoreError) {
        var prefix = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/") {
            prefix += part
            guard mkdir(prefix, 0o700) == 0 || errno == EEXIST || errno == EROFS || errno == EACCES || errno == EPERM else {
                throw unusable(prefix)
            }
            prefix += "/"
        }
        var status = stat()
        guard stat(path, &status) == 0 else { throw unusable(path) }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw .unusable(path: path, reason: "not a directory") }
    }

    private static func lock(_ path: String, _ file: String) throws(MessageStoreError) -> Int32 {
        let descriptor = open(path + "/" + file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw unusable(path + "/" + file) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let error: MessageStoreError = errno == EWOULDBLOCK ? .inUse(directory: path) : unusable(path + "/" + file)
            close(descriptor)
            throw error
        }
        return descriptor
    }

    private static func unusable(_ path: String) -> MessageStoreError {
        .unusable(path: path, reason: String(cString: strerror(errno)))
    }
}
