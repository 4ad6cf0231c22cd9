#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The memory and the file descriptors that the process uses, as reported by Linux; empty on systems without `/proc`.
///
/// Reading takes longer the more sockets are open, so do not call it on event loops.
package struct ProcessFigures: Hashable, Sendable {
    package var residentBytes: Int?
    package var openFiles: Int?
    package var maximumOpenFiles: Int?

    package init(residentBytes: Int? = nil, openFiles: Int? = nil, maximumOpenFiles: Int? = nil) {
        self.residentBytes = residentBytes
        self.openFiles = openFiles
        self.maximumOpenFiles = maximumOpenFiles
    }

    package static func current() -> ProcessFigures {
        ProcessFigures(
            residentBytes: residentPages(in: contents(of: "/proc/self/statm") ?? "").map { $0 * Int(getpagesize()) },
            openFiles: entries(of: "/proc/self/fd"),
            maximumOpenFiles: openFileLimit(in: contents(of: "/proc/self/limits") ?? ""))
    }

    /// Returns the number of resident pages, which is the second number of `/proc/self/statm`.
    package static func residentPages(in text: String) -> Int? {
        let parts = text.split(separator: " ")
        return parts.count > 1 ? Int(parts[1]) : nil
    }

    /// Returns the soft limit of open files, which is the first number in its line of `/proc/self/limits`; nil when there is no limit.
    package static func openFileLimit(in text: String) -> Int? {
        let name = "Max open files"
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name) }) else { return nil }
        return line.dropFirst(name.count).split(separator: " ").first.flatMap { Int($0) }
    }

    private static func contents(of path: String) -> String? {
        let file = open(path, O_RDONLY)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(file, &piece, piece.count)
            guard count > 0 else { break }
            bytes += piece.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func entries(of path: String) -> Int? {
        guard let directory = opendir(path) else { return nil }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        // Three entries are not counted: the directory itself, its parent, and the descriptor with which it is being read.
        return max(count - 3, 0)
    }
}
