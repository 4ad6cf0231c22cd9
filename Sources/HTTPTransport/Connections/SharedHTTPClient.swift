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
        var proxy: HTTPProxy?
        var connectTimeout: Duration = .seconds(10)
        var keepAlive: Duration = .seconds(15)
        var purpose = Purpose.calls
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
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: settings.trustRoots.configuration, redirectConfiguration: .disallow,
            timeout: HTTPClient.Configuration.Timeout(connect: TimeAmount(settings.connectTimeout)),
            proxy: settings.proxy?.settings)
        configuration.httpVersion = .http1Only
        // A refusal is news for the caller, whose retry table decides what to do about it.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.connectionPool.idleTimeout = TimeAmount(settings.keepAlive)
        configuration.http1_1ConnectionDebugInitializer = { [pending] channel in
            channel.eventLoop.submit {
                do {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.checkPeerCertificate()
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
        http = HTTPClient(eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton), configuration: configuration)
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
