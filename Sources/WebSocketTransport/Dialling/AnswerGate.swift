import ConnectionEngine
import NIOCore

/// Passes the answer to the upgrade request to the HTTP decoder, one head at a time, and stores the bytes after it for the frame handler.
///
/// The decoder must not get these bytes. When NIO's decoder is removed, it forwards the bytes after an answer with status 101, but it loses
/// these bytes when the peer closes the connection before the removal. The gate also fails an attempt whose answer exceeds the size limit
/// (rule WT-10).
final class AnswerGate: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// Receives the bytes that follow the server's answer to the upgrade request; nil until the answer has been accepted.
    var sink: ((inout ByteBuffer) -> Void)?

    private let limit: Int
    private var seen = 0
    /// The number of bytes at the end of the input so far that match the beginning of CR LF CR LF, which ends an HTTP head.
    private var matched = 0

    init(limit: Int) {
        self.limit = limit
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = unwrapInboundIn(data)
        while buffer.readableBytes > 0 {
            if let sink {
                sink(&buffer)
                return
            }
            guard let head = buffer.readSlice(length: lengthOfHead(buffer)) else { return }
            seen += head.readableBytes
            if seen > limit {
                context.fireErrorCaught(
                    ConnectionFailure(
                        .malformedResponse, "The server's answer to the WebSocket upgrade is larger than the client's limit."))
                return
            }
            context.fireChannelRead(wrapInboundOut(head))
        }
    }

    /// The number of bytes up to the end of the head, or all bytes if the head is incomplete.
    private func lengthOfHead(_ buffer: ByteBuffer) -> Int {
        buffer.withUnsafeReadableBytes { bytes in
            for (index, byte) in bytes.enumerated() {
                switch (byte, matched) {
                case (UInt8(ascii: "\r"), 0), (UInt8(ascii: "\n"), 1), (UInt8(ascii: "\r"), 2): matched += 1
                case (UInt8(ascii: "\n"), 3):
                    matched = 0
                    return index + 1
                case (UInt8(ascii: "\r"), _): matched = 1
                default: matched = 0
                }
            }
            return bytes.count
        }
    }
}
