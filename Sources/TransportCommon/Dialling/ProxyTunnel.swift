import ConnectionEngine
import Foundation
import NIOCore

/// Requests a tunnel to a server from a proxy (RFC 9110, 9.3.6). After that, the channel behaves like a direct connection to the server.
///
/// Every failure of the request is attributed to the proxy and has category `proxyUnavailable` (rules WT-16 and HT-15). The proxy gets
/// neither the path nor any header of the request to the server.
struct ProxyTunnel: Sendable {
    /// The largest size of a proxy's answer, in bytes, including interim answers with status 1xx.
    static let answerLimit = 1 << 14

    let proxy: HTTPProxy
    /// The server's name or address, without brackets.
    let host: String
    let port: Int
    let deadline: NIODeadline

    /// Opens the tunnel. Runs on the channel's event loop, and completes when the tunnel's handler has been removed from the pipeline.
    /// Reading is off after that, so that bytes for the next handlers wait in the socket.
    func open(on channel: any Channel) -> EventLoopFuture<Void> {
        let answered = channel.eventLoop.makePromise(of: Void.self)
        let handler = TunnelHandler(proxy: proxy, request: request, deadline: deadline, answered: answered)
        do {
            try channel.pipeline.syncOperations.addHandler(handler)
            try channel.syncOptions?.setOption(.autoRead, value: true)
        } catch {
            answered.fail(error)
        }
        let bound = NIOLoopBound(handler, eventLoop: channel.eventLoop)
        return answered.futureResult.flatMap {
            channel.setOption(.autoRead, value: false)
        }.flatMap {
            channel.pipeline.syncOperations.removeHandler(bound.value)
        }.flatMapErrorThrowing { error in
            channel.close(promise: nil)
            throw error as? ConnectionFailure
                ?? ConnectionFailure(.proxyUnavailable, "The proxy closed the connection before it opened the tunnel.")
        }
    }

    private var request: String {
        // In the target of the `CONNECT` request, an IPv6 address is written in brackets.
        let target = "\(host.contains(":") ? "[\(host)]" : host):\(port)"
        var request = "CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n"
        if let credentials = proxy.credentials {
            let plain = Data("\(credentials.user):\(credentials.password)".utf8)
            request += "Proxy-Authorization: Basic \(plain.base64EncodedString())\r\n"
        }
        return request + "\r\n"
    }
}

/// Sends the request for a tunnel, and reads the head of the proxy's answer.
private final class TunnelHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let proxy: HTTPProxy
    private let request: String
    private let deadline: NIODeadline
    private var answered: EventLoopPromise<Void>?
    private var timer: Scheduled<Void>?
    private var answer = ByteBuffer()
    private var seen = 0

    init(proxy: HTTPProxy, request: String, deadline: NIODeadline, answered: EventLoopPromise<Void>) {
        self.proxy = proxy
        self.request = request
        self.deadline = deadline
        self.answered = answered
    }

    func handlerAdded(context: ChannelHandlerContext) {
        guard context.channel.isActive else {
            return fail("The proxy closed the connection before it opened the tunnel.", context)
        }
        timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) {
            self.fail("The proxy did not answer the CONNECT request in time.", context)
        }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: request)), promise: nil)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        fail("The proxy closed the connection before it opened the tunnel.", context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard answered != nil else { return }
        var bytes = unwrapInboundIn(data)
        seen += bytes.readableBytes
        answer.writeBuffer(&bytes)
        while answered != nil, let head = ProxyAnswer(&answer) { judge(head, context) }
        guard answered != nil else { return }
        if !ProxyAnswer.canBegin(with: answer) {
            fail("The proxy's answer is not HTTP.", context)
        } else if seen > ProxyTunnel.answerLimit {
            fail("The proxy's answer is longer than \(ProxyTunnel.answerLimit) bytes.", context)
        }
    }

    private func judge(_ head: ProxyAnswer, _ context: ChannelHandlerContext) {
        guard let status = head.status else { return fail("The proxy's answer is not HTTP.", context) }
        switch status {
        case 101: fail("The proxy refuses to forward the connection to the server.", context)
        case 100..<200: return
        case 200..<300:
            // The server sends nothing before it gets a request, so bytes after the answer come from the proxy.
            if answer.readableBytes > 0 { return fail("The proxy sent unexpected data after its answer.", context) }
            settle(.success(()))
        case 407: settle(.failure(.proxyRefusal(credentials: proxy.credentials)))
        default: fail("The proxy refuses to forward the connection to the server.", context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail("The proxy closed the connection before it opened the tunnel.", context)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail("The proxy closed the connection before it opened the tunnel.", context)
        context.fireChannelInactive()
    }

    private func fail(_ reason: String, _ context: ChannelHandlerContext) {
        settle(.failure(ConnectionFailure(.proxyUnavailable, reason)))
    }

    private func settle(_ result: Result<Void, ConnectionFailure>) {
        guard let answered else { return }
        self.answered = nil
        timer?.cancel()
        timer = nil
        answered.completeWith(result.mapError { $0 as any Error })
    }
}

/// The head of a proxy's answer. Only the status is evaluated.
struct ProxyAnswer: Hashable {
    /// The status; nil when the first line is not a status line of HTTP/1.
    var status: Int?

    private static let start = Array("HTTP/1.".utf8)
    private static let end = Array("\r\n\r\n".utf8)

    /// Removes one complete head from the beginning of `bytes`; nil when the head is not complete yet.
    init?(_ bytes: inout ByteBuffer) {
        guard let end = bytes.readableBytesView.firstRange(of: Self.end),
            let head = bytes.readSlice(length: end.upperBound - bytes.readerIndex)
        else { return nil }
        status = Self.status(head.readableBytesView.prefix { $0 != UInt8(ascii: "\r") })
    }

    /// Whether `bytes` is empty or may be the beginning of an HTTP answer from the proxy.
    static func canBegin(with bytes: ByteBuffer) -> Bool {
        zip(bytes.readableBytesView, start).allSatisfy { $0 == $1 }
    }

    /// Parses `HTTP/1.x NNN`, which must be followed by nothing or a space.
    private static func status(_ line: some Collection<UInt8>) -> Int? {
        let line = Array(line.prefix(13))
        guard line.count >= 12, line.starts(with: start), (0x30...0x39).contains(line[7]), line[8] == 0x20,
            line[9...11].allSatisfy({ (0x30...0x39).contains($0) }), line.count == 12 || line[12] == 0x20
        else { return nil }
        return line[9...11].reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
}
