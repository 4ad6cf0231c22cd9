import ConnectionEngine
import Foundation
import NIOCore
import NIOExtras
import NIOHTTP1
import TransportCommon

/// Asks a proxy to forward a connection: RFC 9110, 9.3.6. Afterwards the channel is as if it led to the server itself.
///
/// Whatever goes wrong here is the proxy's doing and has category `proxyUnavailable` (rule WT-16). A proxy gets neither the path nor
/// any header that is meant for the server.
struct ProxyTunnel: Sendable {
    let proxy: HTTPProxy
    let endpoint: WebSocketEndpoint
    let timeout: TimeAmount

    /// Runs on the channel's loop; completes when nothing of HTTP is left in the pipeline.
    func open(on channel: any Channel) -> EventLoopFuture<Void> {
        let answered = channel.eventLoop.makePromise(of: Void.self)
        var headers = HTTPHeaders([("Host", target)])
        if let credentials = proxy.credentials {
            let plain = Data("\(credentials.user):\(credentials.password)".utf8)
            headers.add(name: "Proxy-Authorization", value: "Basic \(plain.base64EncodedString())")
        }
        let encoder = HTTPRequestEncoder()
        let decoder = ByteToMessageHandler(HTTPResponseDecoder())
        let impatience = CloseOnError()
        let connect = NIOHTTP1ProxyConnectHandler(
            targetHost: bareTarget, targetPort: endpoint.port, headers: headers, deadline: .now() + timeout, promise: answered)
        do {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandlers([encoder, decoder, connect, impatience])
            try channel.syncOptions?.setOption(.autoRead, value: true)
        } catch {
            answered.fail(error)
        }
        let ends = NIOLoopBound((encoder, decoder, impatience), eventLoop: channel.eventLoop)
        return answered.futureResult.flatMap {
            // Bytes for the handlers that come next wait in the socket.
            channel.setOption(.autoRead, value: false)
        }.flatMap {
            channel.pipeline.syncOperations.removeHandler(ends.value.0)
        }.flatMap {
            channel.pipeline.syncOperations.removeHandler(ends.value.1)
        }.flatMap {
            channel.pipeline.syncOperations.removeHandler(ends.value.2)
        }.flatMapErrorThrowing { error in
            channel.close(promise: nil)
            throw failure(error)
        }
    }

    /// Brackets belong to addresses of version 6.
    private var bareTarget: String { endpoint.bareHost.contains(":") ? "[\(endpoint.bareHost)]" : endpoint.bareHost }
    private var target: String { "\(bareTarget):\(endpoint.port)" }

    func failure(_ error: any Error) -> ConnectionFailure {
        if let failure = error as? ConnectionFailure { return failure }
        guard let refusal = error as? NIOHTTP1ProxyConnectHandler.Error else {
            return ConnectionFailure(.proxyUnavailable, "The proxy does not speak HTTP.")
        }
        if refusal == .proxyAuthenticationRequired() {
            return .proxyRefusal(credentials: proxy.credentials)
        }
        if refusal == .remoteConnectionClosed() { return ConnectionFailure(.proxyUnavailable, "The proxy hung up.") }
        if refusal == .httpProxyHandshakeTimeout() {
            return ConnectionFailure(.proxyUnavailable, "The proxy did not answer in time.")
        }
        return ConnectionFailure(.proxyUnavailable, "The proxy does not forward the connection.")
    }
}

/// What is no HTTP does not get better by waiting for the time limit.
private final class CloseOnError: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
