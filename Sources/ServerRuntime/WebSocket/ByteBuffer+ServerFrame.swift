import NIOCore

extension ByteBuffer {
    /// The message of a whole WebSocket frame as a server sends it, which is not masked; empty for less than a frame.
    package var messageOfServerFrame: ByteBufferView {
        let bytes = readableBytesView
        guard bytes.count > 2, let length = bytes.dropFirst().first else { return bytes.suffix(0) }
        // The length is in seven bits, or in the two or eight bytes that follow them (RFC 6455, section 5.2).
        let header =
            switch length & 0x7F {
            case 126: 4
            case 127: 10
            default: 2
            }
        return bytes.dropFirst(header)
    }
}
