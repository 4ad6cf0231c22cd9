import NIOCore
import NIOHTTP1

/// The HTTP library's parser, for a connection that received a request that is not plain (``PlainRequestHead``).
///
/// This object stores the parts that the parser returns while an answer is in progress. They come from one read of the socket, so they are
/// few.
final class RequestParser {
    private let decoder: ByteToMessageHandler<HTTPRequestDecoder>
    private let outlet: Outlet
    private var waiting: [HTTPServerRequestPart] = []
    /// Tracks the request line while the parser has not read the whole head.
    var requestLine = RequestLineTracker()

    init(_ connection: HTTPConnection) {
        // The library has one limit for both targets and fields. A target may be longer than a field, and needs a different answer when it
        // is too long, so fields have a separate limit (``RequestHeadRules``).
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = PlainRequestHead.maximumBytes
        limits.maxHeaderListSize = PlainRequestHead.maximumBytes + PlainRequestHead.maximumFieldsBytes
        limits.maxHeaderFieldCount = PlainRequestHead.maximumFields
        let decoder = HTTPRequestDecoder(
            leftOverBytesStrategy: .forwardBytes, informationalResponseStrategy: .drop, limitConfiguration: limits)
        self.decoder = ByteToMessageHandler(decoder, maximumBufferSize: 131_072)
        outlet = Outlet(connection)
    }

    func install(behind connection: HTTPConnection, in pipeline: ChannelPipeline.SynchronousOperations) throws {
        outlet.parser = self
        try pipeline.addHandler(decoder, position: .after(connection))
        try pipeline.addHandler(outlet, position: .after(decoder))
    }

    /// Whether parts wait.
    var hasParts: Bool { !waiting.isEmpty }

    /// Passes the next stored part of a request to the connection.
    func takePart(_ connection: HTTPConnection) {
        guard !waiting.isEmpty else { return }
        connection.receive(waiting.removeFirst())
    }

    /// Removes the parser from the pipeline. Bytes after the request go to the next handler.
    func remove(from pipeline: ChannelPipeline.SynchronousOperations) throws -> EventLoopFuture<Void>.Isolated {
        outlet.connection = nil
        outlet.parser = nil
        pipeline.removeHandler(context: try pipeline.context(handler: outlet), promise: nil)
        return pipeline.removeHandler(context: try pipeline.context(handler: decoder)).assumeIsolated()
    }

    /// The channel handler behind the parser. It receives the parts of requests that the parser returns, and the parser's errors.
    private final class Outlet: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = HTTPServerRequestPart

        var connection: HTTPConnection?
        weak var parser: RequestParser?

        init(_ connection: HTTPConnection) {
            self.connection = connection
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard let connection, let parser else { return }
            let part = unwrapInboundIn(data)
            if connection.machine.mustWait(behindParts: parser.hasParts) {
                parser.waiting.append(part)
            } else {
                connection.receive(part)
            }
        }

        func channelInactive(context: ChannelHandlerContext) {
            connection = nil
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            connection?.parsingFailed(error)
        }
    }
}
