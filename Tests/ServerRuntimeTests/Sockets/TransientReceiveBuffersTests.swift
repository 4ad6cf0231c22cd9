import NIOCore
import Testing

@testable import ServerRuntime

@Suite("Receive buffers of a connection")
struct TransientReceiveBuffersTests {
    /// The pool of a channel, with the peer's bytes in place of a socket.
    private struct Reader {
        var pool = NIOPooledRecvBufferAllocator(capacity: 1, recvAllocator: TransientReceiveBuffers())

        /// Reads at most `available` bytes, as a channel does.
        mutating func read(_ available: Int) -> ByteBuffer {
            let (buffer, count) = pool.buffer(allocator: ByteBufferAllocator()) { buffer in
                let count = min(available, buffer.writableBytes)
                buffer.writeRepeatingByte(UInt8(ascii: "a"), count: count)
                return count
            }
            pool.record(actualReadBytes: count)
            return buffer
        }
    }

    @Test("NIO keeps the first buffer, of 16 bytes, and none of the later ones")
    func kept() {
        var reader = Reader()
        var first = reader.read(300)
        #expect(first.readableBytes == TransientReceiveBuffers.keptBytes)
        #expect(first.modifyIfUniquelyOwned { _ in true } == nil, "The pool holds the first buffer.")
        for _ in 0..<3 {
            var next = reader.read(300)
            #expect(next.readableBytes == 300)
            #expect(next.modifyIfUniquelyOwned { _ in true } == true, "The pool holds a later buffer.")
        }
    }

    @Test("Buffers become larger for a peer that fills them, up to 16 KiB, and smaller again for short messages")
    func sizes() {
        var reader = Reader()
        let filled = (0..<7).map { _ in reader.read(100_000).readableBytes }
        #expect(filled == [16, 1024, 2048, 4096, 8192, 16_384, 16_384])
        let capacities = (0..<12).map { _ in reader.read(100).capacity }
        #expect(capacities.first == 16_384)
        #expect(capacities.last == 512)
        #expect(capacities == capacities.sorted(by: >))
    }

    @Test("A single short message between long ones leaves the size unchanged")
    func alternating() {
        var reader = Reader()
        _ = reader.read(16)
        for _ in 0..<4 {
            #expect(reader.read(100).capacity == 1024)
            #expect(reader.read(900).capacity == 1024)
        }
    }

    @Test("NIO stores the allocator without a box, because it has at most 24 bytes")
    func size() {
        #expect(MemoryLayout<TransientReceiveBuffers>.size <= 24)
    }
}
