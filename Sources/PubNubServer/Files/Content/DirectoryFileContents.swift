import Crypto
import Identifiers
import NIOPosix
import WireCoding

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Stores the contents as files in one directory for each keyset, readable only by the user that runs the server (rule FI-21). The files
/// are read and written on NIO's thread pool.
struct DirectoryFileContents: FileContents {
    private let directory: String

    /// The suffix of a file's name in the directory while its content is being written.
    private static let temporarySuffix = ".part"

    var maximumBytes: Int { .max }

    /// - Parameters:
    ///   - path: the parent directory for all keysets. It is created with the first content.
    ///   - subscribeKey: the subscribe key of the keyset. It can be any text, so the name of the directory is its hash.
    init(_ path: String, subscribeKey: String) {
        directory = path + "/" + Hex.text(SHA256.hash(data: Array(subscribeKey.utf8)))
    }

    func restore(_ known: Set<Identifier>, at now: Int) throws -> RestoredContents? {
        var found = RestoredContents(present: try list(directory), asideDirectory: aside)
        for id in try list(aside).sorted() {
            if known.contains(id), !found.present.contains(id) {
                guard rename(aside + "/" + id.text, directory + "/" + id.text) == 0 else { continue }
                found.present.insert(id)
                found.returned += 1
            } else if Self.changed(aside + "/" + id.text).map({ $0 < now - Self.asideLifetime }) ?? false {
                if unlink(aside + "/" + id.text) == 0 { found.deleted += 1 }
            }
        }
        for id in found.present.subtracting(known) {
            guard mkdir(aside, 0o700) == 0 || errno == EEXIST else { throw FileProblem() }
            guard rename(directory + "/" + id.text, aside + "/" + id.text) == 0 else { throw FileProblem() }
            found.present.remove(id)
            found.setAside += 1
        }
        return found
    }

    /// The directory to which contents without a record in the store are moved.
    private var aside: String { directory + "/aside" }

    /// The ids of the contents in a directory; empty when the directory does not exist. Incomplete contents are deleted; they remain when
    /// the server ends while it writes.
    private func list(_ directory: String) throws -> Set<Identifier> {
        guard let stream = opendir(directory) else {
            if errno == ENOENT { return [] }
            throw FileProblem()
        }
        defer { closedir(stream) }
        var found: Set<Identifier> = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)) {
                    String(cString: $0)
                }
            }
            if name.hasByteSuffix(Self.temporarySuffix) {
                unlink(directory + "/" + name)
            } else if FileID.isValid(name) {
                found.insert(Identifier(name))
            }
        }
        return found
    }

    /// When a file was last moved or changed, in seconds since 1970; nil when its status cannot be read.
    private static func changed(_ path: String) -> Int? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
            return Int(status.st_ctimespec.tv_sec)
        #else
            return Int(status.st_ctim.tv_sec)
        #endif
    }

    func put(_ content: ArraySlice<UInt8>, for id: Identifier) async throws {
        let place = try place(of: id)
        try await NIOThreadPool.singleton.runIfActive {
            try create()
            let temporary = place + Self.temporarySuffix
            let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw FileProblem() }
            var isWritten = Self.write(content, to: descriptor) && fsync(descriptor) == 0
            isWritten = close(descriptor) == 0 && isWritten
            guard isWritten, rename(temporary, place) == 0 else {
                unlink(temporary)
                throw FileProblem()
            }
        }
    }

    func content(of id: Identifier) async throws -> [UInt8]? {
        let place = try place(of: id)
        return try await NIOThreadPool.singleton.runIfActive {
            let descriptor = open(place, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else {
                if errno == ENOENT { return nil }
                throw FileProblem()
            }
            defer { close(descriptor) }
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { throw FileProblem() }
            return try Self.read(Int(status.st_size), from: descriptor)
        }
    }

    func remove(_ id: Identifier) async throws {
        let place = try place(of: id)
        try await NIOThreadPool.singleton.runIfActive {
            guard unlink(place) == 0 || errno == ENOENT else { throw FileProblem() }
        }
    }

    /// The path of a file's content. An id becomes part of a path only if it has the form of the ids that the server generates. So no id
    /// can lead outside the directory.
    private func place(of id: Identifier) throws -> String {
        guard FileID.isValid(id.text) else { throw FileProblem() }
        return directory + "/" + id.text
    }

    private func create() throws {
        guard mkdir(directory, 0o700) != 0, errno != EEXIST else { return }
        let parent = String(directory[..<(directory.lastIndex(of: "/") ?? directory.startIndex)])
        guard mkdir(parent, 0o700) == 0 || errno == EEXIST, mkdir(directory, 0o700) == 0 || errno == EEXIST else {
            throw FileProblem()
        }
    }

    private static func write(_ content: ArraySlice<UInt8>, to descriptor: CInt) -> Bool {
        content.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                #if canImport(Glibc)
                    let count = Glibc.write(descriptor, part.baseAddress, part.count)
                #elseif canImport(Musl)
                    let count = Musl.write(descriptor, part.baseAddress, part.count)
                #else
                    let count = Darwin.write(descriptor, part.baseAddress, part.count)
                #endif
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }

    private static func read(_ size: Int, from descriptor: CInt) throws -> [UInt8] {
        var isWhole = true
        let content = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while count < size {
                // in bounds: `count` is less than `size`, which is the size of the buffer.
                let part = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
                #if canImport(Glibc)
                    let read = Glibc.read(descriptor, part.baseAddress, size - count)
                #elseif canImport(Musl)
                    let read = Musl.read(descriptor, part.baseAddress, size - count)
                #else
                    let read = Darwin.read(descriptor, part.baseAddress, size - count)
                #endif
                if read < 0, errno == EINTR { continue }
                guard read > 0 else {
                    isWhole = false
                    return
                }
                count += read
            }
        }
        guard isWhole else { throw FileProblem() }
        return content
    }
}

/// The error when a file's content could not be written or read.
struct FileProblem: Error, Hashable, Sendable {}

/// The ids of files that the server generates: 32 random hexadecimal digits in five groups.
enum FileID {
    static func make() -> Identifier {
        let digits = Array(Hex.text((0..<16).map { _ in UInt8.random(in: .min ... .max) }))
        let groups = [digits[0..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20..<32]]
        return Identifier(groups.map { String($0) }.joined(separator: "-"))
    }

    static func isValid(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count == 36 else { return false }
        return bytes.enumerated().allSatisfy { index, byte in
            if [8, 13, 18, 23].contains(index) { return byte == UInt8(ascii: "-") }
            return (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
        }
    }
}
