import ConnectionEngine
import NIOCore
import NIOTLS
import TransportCommon

/// The last handler of a connection's pipeline. It reports the events of the socket.
final class RedisChannelHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let connection: Weak<RedisConnection>
    /// The host name for which the server's certificate must be valid; nil without TLS.
    private let checkedHost: String?
    private var error: (any Error)?
    private var isOpen = false

    init(_ connection: Weak<RedisConnection>, checking host: String?) {
        self.connection = connection
        checkedHost = host
    }

    func channelActive(context: ChannelHandlerContext) {
        guard connection.object?.adopt(context.channel) == true else { return context.close(promise: nil) }
        if checkedHost == nil { open() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard let checkedHost, case TLSUserEvent.handshakeCompleted = event else { return }
        do {
            try context.channel.pipeline.syncOperations.checkPeerCertificate(host: checkedHost)
            open()
        } catch {
            end(error, context)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        connection.object?.received(unwrapInboundIn(data))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end(error, context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        report(nil)
    }

    private func open() {
        isOpen = true
        connection.object?.opened()
    }

    private func end(_ error: any Error, _ context: ChannelHandlerContext) {
        report(error)
        context.close(promise: nil)
    }

    private func report(_ error: (any Error)?) {
        let failure =
            if let error, !isOpen {
                ConnectionFailure.dialling(error)
            } else if error == nil {
                ConnectionFailure(.unexpectedDisconnect, "The Redis server closed the connection.")
            } else {
                ConnectionFailure.lost(error)
            }
        connection.object?.ended(.network(failure))
    }
}
