import NIOCore
import ServerCluster

/// The batch that a leader has written last. The leader also receives this batch from the log. If the received bytes are equal to the
/// written ones, it need not decode them (rule CR-101).
package struct WrittenBatch: Sendable {
    private var batch: ClusterBatch?
    private var bytes = ByteBuffer()

    package init() {}

    /// Records a batch that is being written, with its bytes.
    package mutating func write(_ batch: ClusterBatch, as bytes: ByteBuffer) {
        self.batch = batch
        self.bytes = bytes
    }

    /// Returns the recorded batch if these are its bytes, and removes it; nil for other bytes, which have to be decoded.
    package mutating func take(_ bytes: ByteBuffer) -> ClusterBatch? {
        guard let batch, bytes == self.bytes else { return nil }
        self = WrittenBatch()
        return batch
    }
}
