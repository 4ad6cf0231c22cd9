import NIOCore

/// Allocates a new buffer for each read, so that an idle connection keeps no buffer of the usual size.
///
/// NIO keeps the buffer of a channel's first read as long as the channel exists. NIO reads into this buffer again only when the allocator
/// announces the size of the next buffer, or reports that the next buffer is not larger. This allocator does neither, and its first buffer
/// has 16 bytes. Every later buffer is released when its bytes have been handled. The cost is a second read for the first bytes of a
/// connection. If NIO changes how it keeps buffers, connections take more memory but still work.
///
/// NIO stores an allocator of up to 24 bytes inside of the channel, and a larger allocator in separately allocated memory.
struct TransientReceiveBuffers: RecvByteBufferAllocator, Hashable {
    /// The size in bytes of the first buffer, which NIO keeps.
    static let keptBytes = 16
    /// The size in bytes of the second buffer, into which the rest of nearly every handshake fits.
    private static let usualBytes: UInt32 = 1024
    private static let (minimumBytes, maximumBytes): (UInt32, UInt32) = (512, 16_384)

    /// The size of the next buffer in bytes.
    private var bytes = UInt32(keptBytes)
    /// Whether the latest buffer was filled to at most half.
    private var wasHalfEmpty = false

    func buffer(allocator: ByteBufferAllocator) -> ByteBuffer {
        allocator.buffer(capacity: Int(bytes))
    }

    /// Adapts the size of the next buffer to the number of bytes read. Returns true, so that NIO asks for a new buffer.
    mutating func record(actualReadBytes: Int) -> Bool {
        if bytes < Self.minimumBytes {
            bytes = Self.usualBytes
        } else if actualReadBytes >= Int(bytes) {
            bytes = min(bytes * 2, Self.maximumBytes)
            wasHalfEmpty = false
        } else if actualReadBytes <= Int(bytes / 2) {
            // The buffer shrinks only after two small reads in succession, so that a single small message between large ones changes
            // nothing.
            if wasHalfEmpty { bytes = max(bytes / 2, Self.minimumBytes) }
            wasHalfEmpty.toggle()
        } else {
            wasHalfEmpty = false
        }
        return true
    }
}
