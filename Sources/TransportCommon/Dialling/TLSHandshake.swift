import ConnectionEngine
import NIOCore
import NIOTLS

/// Waits until a channel's TLS handshake is done and the server's certificate was accepted (rule SO-101).
///
/// The handler waits for the user event `TLSUserEvent.handshakeCompleted`. It is fired by a TLS handler nearer to the socket, or by a
/// channel of Network.framework, which has TLS below the channel. Used on one event loop.
final class TLSHandshake: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    /// Succeeds with the protocol that was negotiated by ALPN, or with nil if none was.
    let negotiated: EventLoopFuture<String?>

    private var promise: EventLoopPromise<String?>?
    private let check: (ChannelPipeline.SynchronousOperations) throws -> Void
    private let deadline: NIODeadline?
    private var timer: Scheduled<Void>?

    /// Makes the handler.
    ///
    /// - Parameters:
    ///   - deadline: the time by which the handshake must be done; nil for no limit.
    ///   - check: throws when the certificate does not meet the additional requirements, although the handshake succeeded.
    init(
        on eventLoop: any EventLoop, deadline: NIODeadline?,
        check: @escaping (ChannelPipeline.SynchronousOperations) throws -> Void
    ) {
        let promise = eventLoop.makePromise(of: String?.self)
        negotiated = promise.futureResult
        self.promise = promise
        self.check = check
        self.deadline = deadline
    }

    func handlerAdded(context: ChannelHandlerContext) {
        guard let deadline else { return }
        timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) {
            self.fail(ConnectionFailure(.timeout, "The connection to the server could not be established in time."), context)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        settle(.failure(Self.hangUp))
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        context.fireUserInboundEventTriggered(event)
        guard case TLSUserEvent.handshakeCompleted(let negotiated) = event, promise != nil else { return }
        do {
            try check(context.pipeline.syncOperations)
            // Reading is off again, so that further bytes wait in the socket until the owner reads.
            try context.channel.syncOptions?.setOption(.autoRead, value: false)
        } catch {
            return fail(error, context)
        }
        // The owner adds its handlers in this call, so that bytes that arrived with the end of the handshake are not lost.
        settle(.success(negotiated))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if promise == nil { context.fireErrorCaught(error) } else { fail(error, context) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        settle(.failure(Self.hangUp))
        context.fireChannelInactive()
    }

    private static let hangUp = ConnectionFailure(
        .networkUnavailable, "The server closed the connection before the TLS handshake was done.")

    private func fail(_ error: any Error, _ context: ChannelHandlerContext) {
        settle(.failure(.dialling(error)))
        context.close(promise: nil)
    }

    private func settle(_ result: Result<String?, ConnectionFailure>) {
        guard let promise else { return }
        self.promise = nil
        timer?.cancel()
        timer = nil
        promise.completeWith(result.mapError { $0 as any Error })
    }
}

extension ChannelPipeline.SynchronousOperations {
    /// Adds the TLS handler of NIOSSL, and the handler that waits for the handshake. On the event loop only.
    func addTLS(_ tls: ClientTLS, deadline: NIODeadline?) throws {
        try addHandlers([tls.handler(), TLSHandshake(on: eventLoop, deadline: deadline, check: tls.check)])
    }
}
