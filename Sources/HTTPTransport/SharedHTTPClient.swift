import AsyncHTTPClient
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import TransportCommon

/// One connection pool per set of trusted roots, for as long as anybody uses it.
final class SharedHTTPClient: Sendable {
    let http: HTTPClient

    private struct Weak {
        weak var client: SharedHTTPClient?
    }

    private static let clients = NIOLockedValueBox<[TrustRoots: Weak]>([:])

    /// The client that everybody with these roots shares.
    static func client(for roots: TrustRoots) -> SharedHTTPClient {
        clients.withLockedValue { clients in
            if let client = clients[roots]?.client { return client }
            let client = SharedHTTPClient(roots)
            clients[roots] = Weak(client: client)
            return client
        }
    }

    private init(_ roots: TrustRoots) {
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: roots.configuration, redirectConfiguration: .disallow,
            timeout: HTTPClient.Configuration.Timeout(connect: .seconds(10)))
        configuration.httpVersion = .http1Only
        // A refusal is news for the caller, whose retry table decides what to do about it.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.connectionPool.idleTimeout = .seconds(15)
        configuration.http1_1ConnectionDebugInitializer = { channel in
            channel.eventLoop.submit {
                do {
                    try channel.pipeline.syncOperations.checkPeerCertificate()
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
