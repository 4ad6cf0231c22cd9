import ConnectionEngine
import NIOCore
import NIOHTTP1
import NIOPosix
import TransportCommon
import WebSocketFraming

/// Opens the socket of one attempt: name, TCP to whichever address answers first, proxy, TLS, and the handlers of the upgrade.
struct WebSocketDialer<Decoder: WebSocketDecoder>: Sendable {
    let endpoint: WebSocketEndpoint
    let configuration: WebSocketTransportConfiguration
    let attempt: WebSocketAttempt<Decoder>
    let decoder: Decoder
    let lookUp: SystemResolver.LookUp

    func dial() {
        let request: UpgradeRequest
        do throws(ConnectionFailure) {
            var random = SystemRandom()
            request = try UpgradeRequest(endpoint: endpoint, key: WebSocketKey(using: &random))
        } catch {
            return giveUp(error)
        }
        attempt.keep(
            attempt.eventLoop.scheduleTask(in: TimeAmount(configuration.dialTimeout)) { [attempt] in
                attempt.finish(ConnectionFailure(.timeout, "The connection was not open in time."))
                attempt.cut()
            })
        tls().flatMap { tls in
            connect().flatMap { tunnel($0) }.flatMapThrowing { channel in
                try prepare(channel, tls: tls, request: request)
            }
        }.whenFailure { giveUp(failure($0)) }
    }

    /// Reports a dial that never became a pipeline of ours.
    private func giveUp(_ failure: ConnectionFailure) {
        attempt.finish(failure)
        attempt.cut()
        attempt.over()
    }

    /// Made on another thread: reading the roots takes milliseconds that no loop has.
    private func tls() -> EventLoopFuture<ClientTLS?> {
        guard endpoint.usesTLS else { return attempt.eventLoop.makeSucceededFuture(nil) }
        let (host, configuration) = (endpoint.bareHost, configuration)
        return NIOThreadPool.singleton.runIfActive(eventLoop: attempt.eventLoop) {
            try ClientTLS(
                roots: configuration.trustRoots, pins: configuration.pins, certificate: configuration.certificate, host: host,
                isTunnelled: configuration.proxy != nil)
        }
    }

    private func connect() -> EventLoopFuture<any Channel> {
        let bootstrap = ClientBootstrap(group: attempt.eventLoop)
            .connectTimeout(TimeAmount(configuration.connectTimeout))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            // Bytes wait in the socket until there is a handler for them.
            .channelOption(.autoRead, value: false)
            .channelInitializer { [attempt, liveness = configuration.liveness] channel in
                channel.pipeline.syncOperations.closeOnExec()
                channel.pipeline.syncOperations.watchPeer(liveness)
                if attempt.adopt(channel) { return channel.eventLoop.makeSucceededVoidFuture() }
                return channel.eventLoop.makeFailedFuture(ConnectionFailure.disconnectedOnRequest)
            }
        let (host, port) = configuration.proxy.map { ($0.host, $0.port) } ?? (endpoint.bareHost, endpoint.port)
        if let address = try? SocketAddress(ipAddress: host, port: port) { return bootstrap.connect(to: address) }
        return bootstrap.resolver(SystemResolver(eventLoop: attempt.eventLoop, lookUp: lookUp)).connect(host: host, port: port)
    }

    /// Through the proxy, if there is one, to the server. Runs on the loop.
    private func tunnel(_ channel: any Channel) -> EventLoopFuture<any Channel> {
        guard let proxy = configuration.proxy else { return channel.eventLoop.makeSucceededFuture(channel) }
        let tunnel = ProxyTunnel(proxy: proxy, endpoint: endpoint, timeout: TimeAmount(configuration.connectTimeout))
        return tunnel.open(on: channel).map { channel }
    }

    /// What an error of the dial means. Name and TCP connection are the proxy's when there is one.
    private func failure(_ error: any Error) -> ConnectionFailure {
        let failure = ConnectionFailure.dialling(error)
        let isReaching = failure.category == .networkUnavailable || failure.category == .timeout
        return configuration.proxy != nil && isReaching ? failure.reachingProxy : failure
    }

    /// Builds the pipeline of a channel that is connected. Runs on the loop.
    private func prepare(_ channel: any Channel, tls: ClientTLS?, request: UpgradeRequest) throws {
        channel.closeFuture.whenComplete { [attempt] _ in attempt.over() }
        do {
            let pipeline = channel.pipeline.syncOperations
            if let tls { try pipeline.addHandler(tls.handler()) }
            let gate = AnswerGate(limit: configuration.responseBytes)
            let encoder = HTTPRequestEncoder()
            let http = ByteToMessageHandler(HTTPResponseDecoder())
            let frames = FrameHandler(attempt: attempt, decoder: decoder, configuration: configuration)
            let upgrade = UpgradeHandler(
                request: request, tls: tls, attempt: attempt, frames: frames, gate: gate,
                encoder: encoder,
                decoder: http)
            try pipeline.addHandlers([gate, encoder, http, upgrade])
            try channel.syncOptions?.setOption(.autoRead, value: true)
        } catch {
            channel.close(promise: nil)
            throw error
        }
    }
}

extension TimeAmount {
    /// A duration of the engine; never negative.
    init(_ duration: Duration) {
        self = .nanoseconds(max(duration.clampedNanoseconds, 0))
    }
}
