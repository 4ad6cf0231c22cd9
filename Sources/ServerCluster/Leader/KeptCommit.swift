import NIOCore

/// A stored batch as a leader keeps it in memory, to append it again if the store loses it: encoded, with the small buffers of its writes as
/// slices of one.
///
/// A batch is kept a thousand times for each time that it is needed again, so it is decoded only then.
struct KeptCommit: Sendable {
    let position: ClusterPosition
    private let bytes: ByteBuffer
    private let writes: [StoreWrite]
    private let trim: ClusterPosition?

    init(_ commit: ClusterCommit) {
        position = commit.batch.position
        bytes = commit.bytes
        writes = Self.packed(commit.writes)
        trim = commit.trim
    }

    /// The batch as it was; nil only if its bytes could not be read.
    var commit: ClusterCommit? {
        guard let batch = try? ClusterBatch(decoding: bytes) else { return nil }
        return ClusterCommit(batch: batch, bytes: bytes, writes: writes, trim: trim)
    }

    /// The number of bytes up to which a buffer moves to the common one. Longer ones take little more than their content.
    private static let smallBytes = 256

    /// The same writes with their small buffers as slices of one: a subscription has several buffers of some bytes, and a buffer of its own
    /// takes more than 100 bytes besides its content.
    private static func packed(_ writes: [StoreWrite]) -> [StoreWrite] {
        guard !writes.isEmpty else { return writes }
        var content = ByteBuffer()
        for write in writes {
            write.forEachWord { word in
                if case .bytes(let bytes) = word, isSmall(bytes) { content.writeImmutableBuffer(bytes) }
            }
        }
        // Slices are taken once nothing is written any more: a shared buffer would be copied by the next write.
        return writes.map { write in
            write.mapWords { word in
                guard case .bytes(let bytes) = word, isSmall(bytes) else { return word }
                return .bytes(content.readSlice(length: bytes.readableBytes) ?? bytes)
            }
        }
    }

    private static func isSmall(_ buffer: ByteBuffer) -> Bool { buffer.readableBytes <= smallBytes }
}
