import Identifiers
import NIOConcurrencyHelpers

/// Where the contents of a keyset's files are. Methods never block a thread of the caller's.
protocol FileContents: Sendable {
    /// How many bytes all contents together may have, whatever the keyset allows.
    var maximumBytes: Int { get }
    /// Compares the contents of an earlier run of the server with the records that the store has. A content without a record is set aside,
    /// and one that was set aside comes back when its record is there again. Nil where contents come and go with the records.
    ///
    /// - Parameters:
    ///   - known: the files that have a record.
    ///   - now: seconds since 1970.
    func restore(_ known: Set<Identifier>, at now: Int) throws -> RestoredContents?
    /// Keeps a content, whole or not at all.
    ///
    /// - Parameter id: as the server makes ids.
    func put(_ content: ArraySlice<UInt8>, for id: Identifier) async throws
    /// Nil for a content that does not exist.
    func content(of id: Identifier) async throws -> [UInt8]?
    /// Forgets a content, if there is one.
    func remove(_ id: Identifier) async throws
}

/// The contents that a keyset begins with.
struct RestoredContents: Hashable, Sendable {
    /// The files that have a content.
    var present: Set<Identifier> = []
    /// How many contents had no record and were set aside.
    var setAside = 0
    /// How many contents that were set aside have a record again.
    var returned = 0
    /// How many contents were deleted because they had been aside for ``FileContents/asideLifetime``.
    var deleted = 0
    /// The directory for contents without a record.
    var asideDirectory = ""
}

extension FileContents {
    /// How long contents without a record are kept: 30 days, in seconds.
    static var asideLifetime: Int { 30 * 86_400 }
}

/// Contents in memory, until the server ends.
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

/// The leader's view of contents that the nodes of a cluster have put into Redis: they are stored and deleted in the writes of their
/// records (rule FI-24), so nothing is done here.
struct SharedFileContents: FileContents {
    let maximumBytes = 256 << 20

    func restore(_ known: Set<Identifier>, at now: Int) -> RestoredContents? { nil }
    func put(_ content: ArraySlice<UInt8>, for id: Identifier) {}
    func content(of id: Identifier) -> [UInt8]? { nil }
    func remove(_ id: Identifier) {}
}
