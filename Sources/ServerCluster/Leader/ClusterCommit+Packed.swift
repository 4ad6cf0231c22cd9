import NIOCore

extension ClusterCommit {
    /// The number of bytes up to which a buffer moves to the common one. Longer ones take little more than their content.
    private static let smallBytes = 256

    /// The same commit with its small buffers as slices of one.
    ///
    /// A leader keeps its latest batches in memory. Each subscription has several buffers of some bytes in them, and a buffer of its own
    /// takes more than 100 bytes besides its content.
    var packed: ClusterCommit {
        let buffers = smallBuffers
        guard buffers.count > 1 else { return self }
        var content = ByteBuffer()
        content.reserveCapacity(buffers.reduce(0) { $0 + $1.readableBytes })
        for buffer in buffers { content.writeImmutableBuffer(buffer) }
        // Slices are taken once nothing is written any more: a shared buffer would be copied by the next write.
        func take(_ buffer: ByteBuffer) -> ByteBuffer {
            guard Self.isSmall(buffer) else { return buffer }
            return content.readSlice(length: buffer.readableBytes) ?? buffer
        }
        var packed = self
        packed.batch.items = batch.items.map { item in
            switch item {
            case .fact(let service, let audience, let payload): .fact(service, audience, take(payload))
            case .answer(let session, let number, let payload): .answer(session, number: number, take(payload))
            case .taken, .expelled, .opened, .forked: item
            }
        }
        packed.writes = writes.map { write in
            write.mapWords { word in if case .bytes(let bytes) = word { .bytes(take(bytes)) } else { word } }
        }
        return packed
    }

    /// In the order in which ``packed`` takes them.
    private var smallBuffers: [ByteBuffer] {
        var buffers: [ByteBuffer] = []
        for item in batch.items {
            switch item {
            case .fact(_, _, let payload), .answer(_, _, let payload): if Self.isSmall(payload) { buffers.append(payload) }
            case .taken, .expelled, .opened, .forked: break
            }
        }
        for write in writes {
            write.forEachWord { word in
                if case .bytes(let bytes) = word, Self.isSmall(bytes) { buffers.append(bytes) }
            }
        }
        return buffers
    }

    private static func isSmall(_ buffer: ByteBuffer) -> Bool { buffer.readableBytes <= smallBytes }
}
