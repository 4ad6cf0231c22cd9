import NIOCore

/// A copy of a stored batch in a leader's memory. If the store loses the batch, the leader appends this copy to the log again. The batch is
/// encoded, and the small buffers of its writes are slices of one large buffer.
///
/// Only about one in a thousand batches is needed again. Therefore a batch is decoded when it is needed, and not before.
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

    /// The original batch with its writes; nil only if its bytes could not be decoded.
    var commit: ClusterCommit? {
        guard let batch = try? ClusterBatch(decoding: bytes) else { return nil }
        return ClusterCommit(batch: batch, bytes: bytes, writes: writes, trim: trim)
    }

    /// The size in bytes up to which a buffer is copied to the common buffer. Larger buffers have little overhead compared with their
    /// content.
    private static let smallBytes = 256

    /// Returns equal writes whose small buffers are slices of one buffer: a subscription has several buffers of some bytes, and each
    /// separate buffer takes more than 100 bytes besides its content.
    private static func packed(_ writes: [StoreWrite]) -> [StoreWrite] {
        guard !writes.isEmpty else { return writes }
        var content = ByteBuffer()
        for write in writes {
            write.forEachWord { word in
                if case .bytes(let bytes) = word, isSmall(bytes) { content.writeImmutableBuffer(bytes) }
            }
        }
        // Slices are taken only after the last write to the buffer, because a write to a shared buffer would copy it.
        return writes.map { write in
            write.mapWords { word in
                guard case .bytes(let bytes) = word, isSmall(bytes) else { return word }
                return .bytes(content.readSlice(length: bytes.readableBytes) ?? bytes)
            }
        }
    }

    private static func isSmall(_ buffer: ByteBuffer) -> Bool { buffer.readableBytes <= smallBytes }
}
