import AsyncHTTPClient
import ConnectionEngine
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import TransportCommon

/// One connection pool per set of settings, for as long as anybody uses it.
final class SharedHTTPClient: Sendable {
    /// What makes two pools different.
    struct Settings: Hashable, Sendable {
        /// What the connections are for. Polls have their own, so that no call ever waits for one.
        enum Purpose: Hashable, Sendable { case calls, polls }

        var trustRoots: TrustRoots
        var pins: CertificatePins?
        var certificate: ClientCertificate?
        var proxy: HTTPProxy?
        var connectTimeout: Duration = .seconds(10)
        var keepAlive: Duration = .seconds(15)
        var liveness = SocketLiveness.standard
        var purpose = Purpose.calls
        /// How many connections one host may be asked over at a time; beyond that requests wait.
        var connectionsPerHost = 8
        /// The loop that all of it happens on; nil for any. The HTTP library keeps no connections for requests that insist on a
        /// loop, so that loops have pools instead.
        var eventLoop: LoopIdentity?
    }

    /// An event loop as a part of a key.
    struct LoopIdentity: Hashable, Sendable {
        let eventLoop: any EventLoop

        static func == (left: LoopIdentity, right: LoopIdentity) -> Bool { left.eventLoop === right.eventLoop }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(eventLoop)) }
    }

    let http: HTTPClient
    let pending = PendingExchanges()

    private struct Weak {
        weak var client: SharedHTTPClient?
    }

    private static let clients = NIOLockedValueBox<[Settings: Weak]>([:])

    /// The client that everybody with these settings shares.
    static func client(for settings: Settings) -> SharedHTTPClient {
        clients.withLockedValue { clients in
            if let client = clients[settings]?.client { return client }
            let client = SharedHTTPClient(settings)
            clients[settings] = Weak(client: client)
            return client
        }
    }

    private init(_ settings: Settings) {
        var tls = settings.trustRoots.configuration
        settings.certificate?.apply(to: &tls)
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: HTTPClient.Configuration.Timeout(connect: TimeAmount(settings.connectTimeout)),
            proxy: settings.proxy?.settings)
        configuration.httpVersion = .http1Only
        // Spans would carry targets, which hold tokens, to whatever collects traces; and they cost a tenth of a poll.
        configuration.tracing.tracer = nil
        // A refusal is news for the caller, whose retry table decides what to do about it.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.connectionPool.idleTimeout = TimeAmount(settings.keepAlive)
        // Polls hold their connections; one that had to wait for another's end would never be made.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit =
            settings.purpose == .polls ? 1 << 14 : settings.connectionsPerHost
        configuration.http1_1ConnectionDebugInitializer = { [pending] channel in
            channel.eventLoop.submit {
                do {
                    let pipeline = channel.pipeline.syncOperations
                    pipeline.closeOnExec()
                    pipeline.watchPeer(settings.liveness)
                    try pipeline.checkPeerCertificate(pins: settings.pins)
                    let handler = try ExchangeHandler.install(in: pipeline, pending: pending)
                    guard settings.purpose == .polls, pending.isEmpty else { return }
                    // Whoever asked for this connection has left. Not an error: that would fail somebody else's request.
                    channel.eventLoop.assumeIsolated().execute {
                        if handler.uses == 0 { handler.closeIfIdle() }
                    }
                } catch {
                    channel.close(promise: nil)
                    throw error
                }
            }
        }
        let group: any EventLoopGroup = settings.eventLoop?.eventLoop ?? MultiThreadedEventLoopGroup.singleton
        http = HTTPClient(eventLoopGroupProvider: .shared(group), configuration: configuration)
    }

    deinit {
        http.shutdown { _ in }
    }
}

extension TimeAmount {
    /// A duration of the engine; never negative.
    init(_ duration: Duration) {
        self = .nanoseconds(max(duration.clampedNanoseconds, 0))
    }
}
