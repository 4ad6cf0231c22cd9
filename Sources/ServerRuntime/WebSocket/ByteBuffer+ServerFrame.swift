import NIOCore

extension ByteBuffer {
    /// The payload of the complete WebSocket frame in this buffer; empty for an incomplete frame. The frame must not be masked: servers
    /// send only such frames.
    package var messageOfServerFrame: ByteBufferView {
        let bytes = readableBytesView
        guard bytes.count > 2, let length = bytes.dropFirst().first else { return bytes.suffix(0) }
        // A payload's length takes seven bits, or the two or eight bytes that follow these bits (RFC 6455, section 5.2).
        let header =
            switch length & 0x7F {
            case 126: 4
            case 127: 10
            default: 2
            }
        return bytes.dropFirst(header)
    }
}
