import Identifiers
import NIOConcurrencyHelpers

/// Where the contents of a keyset's files are. Methods never block a thread of the caller's.
protocol FileContents: Sendable {
    /// How many bytes all contents together may have, whatever the keyset allows.
    var maximumBytes: Int { get }
    /// The files that have a content, of an earlier run of the server; nil where contents come and go with the records.
    func ids() throws -> Set<Identifier>?
    /// Keeps a content, whole or not at all.
    ///
    /// - Parameter id: as the server makes ids.
    func put(_ content: ArraySlice<UInt8>, for id: Identifier) async throws
    /// Nil for a content that is not there.
    func content(of id: Identifier) async throws -> [UInt8]?
    /// Forgets a content, if there is one.
    func remove(_ id: Identifier) async throws
}

/// Contents in memory, until the server ends.
final class MemoryFileContents: FileContents {
    private let contents = NIOLockedValueBox<[Identifier: [UInt8]]>([:])

    let maximumBytes: Int

    init(maximumBytes: Int = 64 << 20) {
        self.maximumBytes = maximumBytes
    }

    func ids() -> Set<Identifier>? { [] }

    func put(_ content: ArraySlice<UInt8>, for id: Identifier) {
        let content = Array(content)
        contents.withLockedValue { $0[id] = content }
    }

    func content(of id: Identifier) -> [UInt8]? { contents.withLockedValue { $0[id] } }

    func remove(_ id: Identifier) {
        contents.withLockedValue { $0[id] = nil }
    }
}

/// The leader's view of contents that the nodes of a cluster have put into Redis: they are kept and forgotten in the writes of their
/// records (rule FI-24), so there is nothing to do here.
struct SharedFileContents: FileContents {
    let maximumBytes = 256 << 20

    func ids() -> Set<Identifier>? { nil }
    func put(_ content: ArraySlice<UInt8>, for id: Identifier) {}
    func content(of id: Identifier) -> [UInt8]? { nil }
    func remove(_ id: Identifier) {}
}
