#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Reads a text file, or any other source of bytes that ends, such as a pipe.
enum FileContent {
    /// The reason why the file cannot be read, as a text to follow the file's name.
    struct Failure: Error {
        let reason: String

        init(_ number: CInt) {
            reason =
                switch number {
                case ENOENT, ENOTDIR: "does not exist"
                case EACCES, EPERM: "may not be read by the user that runs this"
                case EISDIR: "is a directory"
                default: "cannot be read (error number \(number))"
                }
        }

        init(limit: Int) {
            reason = "has more than \(limit) bytes, which is too much: it must be another file"
        }
    }

    /// Reads a file, without the byte order mark that some editors write at the beginning (rule SO-99). Blocks the thread.
    ///
    /// - Parameter limit: the largest accepted size in bytes, so that reading an endless device fails.
    static func read(_ path: String, limit: Int) throws(Failure) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw Failure(errno) }
        defer { close(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = systemRead(file, &piece)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Failure(errno) }
            if count == 0 { return bytes.starts(with: byteOrderMark) ? Array(bytes.dropFirst(byteOrderMark.count)) : bytes }
            guard bytes.count + count <= limit else { throw Failure(limit: limit) }
            bytes += piece.prefix(count)
        }
    }

    /// U+FEFF in UTF-8.
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Whether a path is a regular file that every user of this machine may read.
    static func isReadableByAll(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        return status.st_mode & S_IROTH != 0
    }
}

/// Calls the system's `read`, because a method of this type has the same name.
private func systemRead(_ file: CInt, _ bytes: inout [UInt8]) -> Int {
    read(file, &bytes, bytes.count)
}
