import NIOConcurrencyHelpers

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The directory of a store. Only its owner can access it, and one process at a time locks it (rule HB-45). Stores with different files may
/// share a directory.
///
/// The lock belongs to an open file, so the system releases it whenever the process ends, even after a crash.
final class StoreDirectory: Sendable {
    let path: String
    let databaseFile: String
    /// The file descriptor of the lock file; -1 after the lock is released.
    private let lock: NIOLockedValueBox<Int32>

    init(path: String, file: String = "lifeline.sqlite", lockFile: String = "lock") throws(MessageStoreError) {
        self.path = path
        databaseFile = path + "/" + file
        try Self.create(path)
        lock = NIOLockedValueBox(try Self.lock(path, lockFile))
        // The file is created here, because SQLite would make it readable for everybody. SQLite's additional files inherit the permissions
        // of this file.
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
        // The lock is released explicitly: if a recently forked child process still has the file open, closing it here would not release
        // the lock.
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Creates the directory and its missing parents, accessible only to the owner.
    ///
    /// - Parameter make: creates one directory, and returns the error number, or 0 on success.
    static func create(
        _ path: String, make: (String) -> Int32 = { mkdir($0, 0o700) == 0 ? 0 : errno }
    ) throws(MessageStoreError) {
        var prefix = path.hasPrefix("/") ? "/" : ""
        // The error number of the latest `mkdir` that failed. The failure does not matter if the directory exists already. If `path` does
        // not exist after the loop, this number is reported as the reason.
        var refusal: Int32?
        for part in path.split(separator: "/") {
            prefix += part
            let number = make(prefix)
            switch number {
            case 0, EEXIST: break
            case EROFS, EACCES, EPERM: refusal = number
            default: throw unusable(prefix, number)
            }
            prefix += "/"
        }
        var status = stat()
        guard stat(path, &status) == 0 else { throw unusable(path, refusal ?? errno) }
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

    private static func unusable(_ path: String, _ number: Int32 = errno) -> MessageStoreError {
        .unusable(path: path, reason: String(cString: strerror(number)))
    }
}
