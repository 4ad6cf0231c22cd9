#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// What is in a file, or in anything else that can be read to its end, such as a pipe.
enum FileContent {
    /// Why it cannot be read, to stand behind its name.
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
    }

    /// Blocks.
    static func read(_ path: String) throws(Failure) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw Failure(errno) }
        defer { close(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = systemRead(file, &piece)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Failure(errno) }
            if count == 0 { return bytes }
            bytes += piece.prefix(count)
        }
    }
}

/// The system's function, which has the name of ours.
private func systemRead(_ file: CInt, _ bytes: inout [UInt8]) -> Int {
    read(file, &bytes, bytes.count)
}
