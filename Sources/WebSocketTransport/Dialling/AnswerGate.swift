import ConnectionEngine
import NIOCore

/// Passes the answer to the upgrade to the HTTP decoder, head by head, and keeps the bytes after it for the frames.
///
/// NIO's decoder forwards the bytes after a 101 when it is removed, but loses them when the peer closes the connection before that.
/// Therefore it does not get them. The gate also fails an attempt whose answer exceeds the limit (rule WT-10).
final class AnswerGate: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// Receives the bytes after the answer, once the answer is accepted.
    var sink: ((inout ByteBuffer) -> Void)?

    private let limit: Int
    private var seen = 0
    /// How many bytes of the end of a head, CR LF CR LF, the last bytes match.
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
                context.fireErrorCaught(ConnectionFailure(.malformedResponse, "The answer to the upgrade is too long."))
                return
            }
            context.fireChannelRead(wrapInboundOut(head))
        }
    }

    /// The number of bytes up to the end of a head, or of the buffer.
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
