#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes a file that only its owner can read, completely or not at all.
enum PrivateFile {
    /// Writes a temporary file in the same directory and renames it, so that no reader sees an incomplete file, and secrets are never
    /// written to a file that others can read. Blocks.
    ///
    /// - Parameter replaces: whether an existing file is replaced.
    static func write(_ bytes: [UInt8], to path: String, replaces: Bool) throws(CommandFailure) {
        let draft = "\(path).\(getpid()).new"
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure(path, errno) }
        let written = fill(file, bytes) && fsync(file) == 0
        let number = errno
        close(file)
        guard written else {
            unlink(draft)
            throw failure(path, number)
        }
        // `link` fails when the file exists, `rename` replaces it.
        let moved = replaces ? rename(draft, path) : link(draft, path)
        let reason = errno
        if !replaces || moved != 0 { unlink(draft) }
        if moved != 0 { throw failure(path, reason) }
    }

    private static func fill(_ file: CInt, _ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(file, $0) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count == 0 || errno != EINTR {
                return false
            }
        }
        return true
    }

    private static func failure(_ path: String, _ number: CInt) -> CommandFailure {
        if number == EEXIST {
            return CommandFailure(
                "The file \(path) exists already. Choose another file with --output, or replace it with --force.", .usage)
        }
        let reason =
            switch number {
            case ENOENT, ENOTDIR: "its directory does not exist"
            case EACCES, EPERM, EROFS: "the user that runs this may not write there"
            case EISDIR: "it is a directory"
            case ENOSPC: "the disk is full"
            default: "error number \(number)"
            }
        return CommandFailure("The file \(path) cannot be written: \(reason).")
    }
}

private func systemWrite(_ file: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(file, bytes.baseAddress, bytes.count)
}
