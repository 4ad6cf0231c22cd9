import ConnectionEngine
import NIOCore
import NIOHTTP1
import TransportCommon
import WebSocketFraming

/// Opens the TCP connection for one attempt to connect, and adds the handlers that upgrade the connection to WebSocket.
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
                attempt.finish(ConnectionFailure(.timeout, "The WebSocket connection could not be opened in time."))
                attempt.cut()
            })
        let dialer = ServerDialer(
            trustRoots: configuration.trustRoots, pins: configuration.pins, certificate: configuration.certificate,
            proxy: configuration.proxy, connectTimeout: configuration.connectTimeout, liveness: configuration.liveness,
            paths: configuration.paths, lookUp: lookUp)
        // The connection is opened on the attempt's event loop, so that the handlers are added before the first byte can arrive.
        attempt.eventLoop.flatSubmit { [attempt, endpoint] in
            dialer.open(
                host: endpoint.bareHost, port: endpoint.port, usesTLS: endpoint.usesTLS, on: attempt.eventLoop
            ) { attempt.adopt($0) }.flatMapThrowing { connection in
                try prepare(connection.channel, request: request)
            }
        }.whenFailure { giveUp(.dialling($0)) }
    }

    /// Ends an attempt to connect that has failed before all handlers were added to the channel's pipeline.
    private func giveUp(_ failure: ConnectionFailure) {
        attempt.finish(failure)
        attempt.cut()
        attempt.over()
    }

    /// Adds the handlers to a connected channel. Runs on the event loop.
    private func prepare(_ channel: any Channel, request: UpgradeRequest) throws {
        channel.closeFuture.whenComplete { [attempt] _ in attempt.over() }
        do {
            let pipeline = channel.pipeline.syncOperations
            let gate = AnswerGate(limit: configuration.responseBytes)
            let encoder = HTTPRequestEncoder()
            let http = ByteToMessageHandler(HTTPResponseDecoder())
            let frames = FrameHandler(attempt: attempt, decoder: decoder, configuration: configuration)
            let upgrade = UpgradeHandler(
                request: request, attempt: attempt, frames: frames, gate: gate, encoder: encoder, decoder: http)
            try pipeline.addHandlers([gate, encoder, http, upgrade])
            try channel.syncOptions?.setOption(.autoRead, value: true)
        } catch {
            channel.close(promise: nil)
            throw error
        }
    }
}

extension TimeAmount {
    /// Converts a duration to the type of NIO; a negative duration becomes zero.
    init(_ duration: Duration) {
        self = .nanoseconds(max(duration.clampedNanoseconds, 0))
    }
}
