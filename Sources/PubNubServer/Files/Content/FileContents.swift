import Identifiers
import NIOConcurrencyHelpers

/// Stores the contents of a keyset's files. Methods never block the caller's thread.
protocol FileContents: Sendable {
    /// The size limit in bytes of the contents in this storage. The keyset's own limit applies as well.
    var maximumBytes: Int { get }
    /// Compares the contents of an earlier run of the server with the records in the store. Content without a record is set aside in a
    /// separate directory; a later start puts it back when its record exists again. Returns nil when contents are stored and deleted
    /// together with their records.
    ///
    /// - Parameters:
    ///   - known: the files that have a record.
    ///   - now: the time in seconds since 1970.
    func restore(_ known: Set<Identifier>, at now: Int) throws -> RestoredContents?
    /// Stores a file's content. After a failure no part of it is stored.
    ///
    /// - Parameter id: an id that the server has generated.
    func put(_ content: ArraySlice<UInt8>, for id: Identifier) async throws
    /// The content of a file; nil when it does not exist.
    func content(of id: Identifier) async throws -> [UInt8]?
    /// Deletes a file's content, if it exists.
    func remove(_ id: Identifier) async throws
}

/// The result of comparing contents with records when a keyset is restored.
struct RestoredContents: Hashable, Sendable {
    /// The ids of the files with a record whose content exists.
    var present: Set<Identifier> = []
    /// The number of contents that had no record and were set aside.
    var setAside = 0
    /// The number of contents that were put back because they have a record again.
    var returned = 0
    /// The number of contents that were deleted because they had been set aside for ``FileContents/asideLifetime``.
    var deleted = 0
    /// The directory in which contents without a record are set aside.
    var asideDirectory = ""
}

extension FileContents {
    /// How long contents without a record stay set aside before they are deleted: 30 days, in seconds.
    static var asideLifetime: Int { 30 * 86_400 }
}

/// Keeps contents in memory until the server ends.
final class MemoryFileContents: FileContents {
    private let contents = NIOLockedValueBox<[Identifier: [UInt8]]>([:])

    let maximumBytes: Int

    init(maximumBytes: Int = 64 << 20) {
        self.maximumBytes = maximumBytes
    }

    func restore(_ known: Set<Identifier>, at now: Int) -> RestoredContents? { RestoredContents() }

    func put(_ content: ArraySlice<UInt8>, for id: Identifier) {
        let content = Array(content)
        contents.withLockedValue { $0[id] = content }
    }

    func content(of id: Identifier) -> [UInt8]? { contents.withLockedValue { $0[id] } }

    func remove(_ id: Identifier) {
        contents.withLockedValue { $0[id] = nil }
    }
}

/// The file contents of a cluster, as the leader uses them. Nodes write the contents to Redis, where the contents are kept and deleted
/// together with their records (rule FI-24). So the methods of this type do nothing.
struct SharedFileContents: FileContents {
    let maximumBytes = 256 << 20

    func restore(_ known: Set<Identifier>, at now: Int) -> RestoredContents? { nil }
    func put(_ content: ArraySlice<UInt8>, for id: Identifier) {}
    func content(of id: Identifier) -> [UInt8]? { nil }
    func remove(_ id: Identifier) {}
}
