import ConnectionEngine
import EngineRuntime
import NIOConcurrencyHelpers
import NIOCore
import TransportCommon

/// Makes HTTP requests that are not part of a session's connection, for example for authorisation and publishing.
///
/// Callers with the same settings share connections, which are closed when the last of these callers is released. Redirects are not
/// followed, so that credentials are not sent to other hosts. Any thread may call any method; none blocks.
public final class HTTPCaller: Sendable {
    /// The largest accepted body of an answer, in bytes. A request with a larger answer fails.
    public let bodyLimit: Int
    /// The time within which the kernel closes a connection whose peer does not answer.
    package let liveness: SocketLiveness
    /// The kinds of networks that connections may use, such as cellular ones.
    package let paths: NetworkPaths
    let connections: SharedConnections

    /// One event loop for all calls of the process (rule HT-18). Calls through proxies that Network.framework does not support have another
    /// one, which uses sockets (rule SO-103).
    private static let eventLoop = ClientEventLoops.group().next()
    private static let eventLoopOfProxies: any EventLoop = {
        let proxied = ClientEventLoops.group(proxy: HTTPProxy(host: "", port: 0))
        return proxied === ClientEventLoops.group() ? eventLoop : proxied.next()
    }()

    /// Makes a caller.
    ///
    /// - Parameters:
    ///   - trustRoots: the certificate authorities that TLS trusts.
    ///   - pins: public keys, of which the server's certificate chain must contain one in addition to being trusted; nil for no pins (rule WT-17).
    ///   - certificate: the certificate that the client presents when a server requests one; nil for none (rule WT-50).
    ///   - proxy: the proxy for every connection; none by default.
    ///   - bodyLimit: the largest body of an answer, in bytes; 64 KiB by default.
    ///   - liveness: the time within which the kernel closes a connection whose peer does not answer (rule WT-28).
    ///   - connectionsPerHost: the largest number of open connections to one host, shared by callers with the same settings. Further requests wait, and their time limit includes the wait. 8 by default, at least 1.
    ///   - paths: the kinds of networks that may be used (rule SO-108).
    public convenience init(
        trustRoots: TrustRoots = .system, pins: CertificatePins? = nil, certificate: ClientCertificate? = nil,
        proxy: HTTPProxy? = nil, bodyLimit: Int = 1 << 16,
        liveness: SocketLiveness = .standard, connectionsPerHost: Int = 8, paths: NetworkPaths = .all
    ) {
        let perHost = max(connectionsPerHost, 1)
        self.init(
            SharedConnections.Settings(
                trustRoots: trustRoots, pins: pins, certificate: certificate, proxy: proxy, liveness: liveness, paths: paths,
                limits: ConnectionLimits(perHost: perHost, total: max(perHost, 256)),
                eventLoop: SharedConnections.LoopIdentity(eventLoop: proxy == nil ? Self.eventLoop : Self.eventLoopOfProxies)),
            bodyLimit: bodyLimit)
    }

    init(_ settings: SharedConnections.Settings, bodyLimit: Int = 1 << 16) {
        self.bodyLimit = min(max(bodyLimit, 0), 1 << 30)
        (liveness, paths) = (settings.liveness, settings.paths)
        connections = .connections(for: settings)
    }

    /// Makes a request. An answer with any status counts as a success here; ``HTTPCallAnswer/failure`` describes an answer with an
    /// unsuccessful status.
    ///
    /// - Parameters:
    ///   - timeout: the time limit of name lookup, connection, request and answer together.
    ///   - completion: called once, on a thread of the runtime; never after a cancellation.
    /// - Returns: a closure that cancels the request at once.
    public func send(
        _ call: HTTPCall, timeout: Duration,
        completion: @escaping @Sendable (Result<HTTPCallAnswer, ConnectionFailure>) -> Void
    ) -> JobCancellation {
        let request: ValidatedCall
        do throws(ConnectionFailure) {
            request = try ValidatedCall(call)
        } catch {
            completion(.failure(error))
            return {}
        }
        // The completion captures the caller, because the caller's connections must stay open until the request has ended.
        let running = perform(request, timeout: timeout) { result in withExtendedLifetime(self) { completion(result) } }
        return { running.cancel() }
    }

    /// Makes a request and waits for the answer. Cancelling the task cancels the request at once.
    ///
    /// - Throws: `cancelledByCaller` when the task is cancelled.
    public func send(_ call: HTTPCall, timeout: Duration) async throws(ConnectionFailure) -> HTTPCallAnswer {
        if Task.isCancelled { throw .cancelledByCaller }
        let request = try ValidatedCall(call)
        let answer = connections.eventLoop.makePromise(of: HTTPCallAnswer.self)
        let running = perform(request, timeout: timeout) { answer.completeWith($0.mapError { $0 as any Error }) }
        do {
            return try await withTaskCancellationHandler {
                try await answer.futureResult.get()
            } onCancel: {
                if running.cancel() { answer.fail(ConnectionFailure.cancelledByCaller) }
            }
        } catch {
            throw .calling(error)
        }
    }

    private func perform(
        _ request: ValidatedCall, timeout: Duration, completion: @escaping RunningCall.Completion
    ) -> RunningCall {
        let running = RunningCall(eventLoop: connections.eventLoop, completion: completion)
        let (pool, bodyLimit, deadline) = (connections.pool, bodyLimit, NIODeadline.now() + TimeAmount(timeout))
        connections.eventLoop.execute {
            running.start(request, on: pool.value, bodyLimit: bodyLimit, deadline: deadline)
        }
        return running
    }
}
