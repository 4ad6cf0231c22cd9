import NIOCore
import ServerCluster

/// The batch that a leader wrote last. It comes back over the log, and need not be read there: equal bytes are the same batch (rule CR-101).
package struct WrittenBatch: Sendable {
    private var batch: ClusterBatch?
    private var bytes = ByteBuffer()

    package init() {}

    /// Records that a batch is being written.
    package mutating func write(_ batch: ClusterBatch, as bytes: ByteBuffer) {
        self.batch = batch
        self.bytes = bytes
    }

    /// The batch, if these are its bytes; nil for bytes that have to be read. Each batch is taken once.
    package mutating func take(_ bytes: ByteBuffer) -> ClusterBatch? {
        guard let batch, bytes == self.bytes else { return nil }
        self = WrittenBatch()
        return batch
    }
}
