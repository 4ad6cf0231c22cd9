import NIOCore
import NIOTLS

/// Stores the received bytes of a connection until they are requested. It is the last handler of the pipeline and runs on its event loop
/// only.
final class ProbeMailbox: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    enum Arrival: Sendable {
        case bytes([UInt8])
        /// The TLS handshake is complete.
        case secured
        case failed(any Error)
        /// The peer closed the connection. No other arrival follows.
        case end
    }

    private var waiting: [Arrival] = []
    private var waiter: (promise: EventLoopPromise<Arrival>, timer: Scheduled<Void>)?
    private var isOver = false

    /// The next event of the connection: bytes, the end of the TLS handshake, an error, or the close. Fails with ``ProbeTimeout`` if none
    /// occurs in time. Only one call may wait at a time.
    func next(within limit: TimeAmount, on loop: any EventLoop) -> EventLoopFuture<Arrival> {
        if !waiting.isEmpty { return loop.makeSucceededFuture(waiting.removeFirst()) }
        if isOver { return loop.makeSucceededFuture(.end) }
        if limit <= .nanoseconds(0) { return loop.makeFailedFuture(ProbeTimeout()) }
        let promise = loop.makePromise(of: Arrival.self)
        let timer = loop.assumeIsolated().scheduleTask(in: limit) {
            self.waiter = nil
            promise.fail(ProbeTimeout())
        }
        waiter = (promise, timer)
        return promise.futureResult
    }

    private func put(_ arrival: Arrival) {
        guard let waiter else { return waiting.append(arrival) }
        self.waiter = nil
        waiter.timer.cancel()
        waiter.promise.succeed(arrival)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        put(.bytes(Array(unwrapInboundIn(data).readableBytesView)))
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted = event { put(.secured) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        put(.failed(error))
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        isOver = true
        put(.end)
    }
}

/// No bytes arrived from the server within the time limit.
struct ProbeTimeout: Error {}
/// The peer closed the connection.
struct ProbeEnd: Error {}
/// The answer is not HTTP.
struct ProbeNotHTTP: Error {
    /// Whether the received bytes are a TLS alert, with which a TLS server answers plain text.
    var isTLS = false
}
