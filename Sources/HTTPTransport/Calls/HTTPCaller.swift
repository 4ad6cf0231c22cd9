import AsyncHTTPClient
import ConnectionEngine
import EngineRuntime
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NIOPosix
import TransportCommon

/// Makes HTTP requests: authorisation, publishing, whatever a session asks beside its connection.
///
/// Callers with the same roots, pins, certificate and proxy share connections; with the last of them everything is closed. Redirects are not followed, so
/// that credentials go nowhere else. Any thread may call any method; none blocks.
public final class HTTPCaller: Sendable {
    /// The largest body of an answer, in bytes.
    public let bodyLimit: Int
    let client: SharedHTTPClient
    private let proxy: HTTPProxy?

    /// All calls share a loop (rule HT-18). With several, the HTTP library (1.37) learns on one that a body has left and on another
    /// that its connection was closed; in that order, hopping, it stops the process for a connection that it does not know any more.
    private static let eventLoop = MultiThreadedEventLoopGroup.singleton.next()

    /// A caller.
    ///
    /// - Parameters:
    ///   - trustRoots: whom TLS trusts.
    ///   - pins: keys of which a server has to show one, besides being trusted; nil for any (rule HT-16).
    ///   - certificate: what the client shows when a server asks for it; nil for none (rule WT-50).
    ///   - proxy: for every connection; none by default.
    ///   - bodyLimit: the largest body of an answer, in bytes; 64 KiB by default.
    ///   - liveness: how soon the kernel closes a connection whose peer is gone (rule WT-28).
    ///   - connectionsPerHost: how many connections to one host may be open at a time, those of callers with the same settings
    ///     together; beyond that requests wait, and their time runs. 8 by default, at least 1.
    public init(
        trustRoots: TrustRoots = .system, pins: CertificatePins? = nil, certificate: ClientCertificate? = nil,
        proxy: HTTPProxy? = nil, bodyLimit: Int = 1 << 16,
        liveness: SocketLiveness = .standard, connectionsPerHost: Int = 8
    ) {
        self.bodyLimit = min(max(bodyLimit, 0), 1 << 30)
        self.proxy = proxy
        let settings = SharedHTTPClient.Settings(
            trustRoots: trustRoots, pins: pins, certificate: certificate, proxy: proxy, liveness: liveness,
            connectionsPerHost: max(connectionsPerHost, 1),
            eventLoop: SharedHTTPClient.LoopIdentity(eventLoop: Self.eventLoop))
        client = SharedHTTPClient.client(for: settings)
    }

    /// Makes a request. An answer of any status is a success here; see ``HTTPAnswer/failure``.
    ///
    /// - Parameters:
    ///   - timeout: for name, connection, request and answer together.
    ///   - completion: called once, on a thread of the runtime; never after a cancellation.
    /// - Returns: cancels the request at once.
    public func send(
        _ call: HTTPCall, timeout: Duration,
        completion: @escaping @Sendable (Result<HTTPAnswer, ConnectionFailure>) -> Void
    ) -> JobCancellation {
        let running: Running
        do throws(ConnectionFailure) {
            running = try start(call, timeout: timeout)
        } catch {
            completion(.failure(error))
            return {}
        }
        let pending = NIOLockedValueBox<(@Sendable (Result<HTTPAnswer, ConnectionFailure>) -> Void)?>(completion)
        running.task.futureResult.whenComplete { result in
            // Holding the caller here: the pool has to live as long as the request.
            let completion = pending.withLockedValue { completion in
                defer { completion = nil }
                return completion
            }
            completion?(self.outcome(of: result, running, url: call.url))
        }
        return {
            pending.withLockedValue { $0 = nil }
            running.task.cancel()
        }
    }

    /// Makes a request and waits for the answer. Cancelling the task cancels the request at once.
    ///
    /// - Throws: `cancelledByCaller` when the task is cancelled.
    public func send(_ call: HTTPCall, timeout: Duration) async throws(ConnectionFailure) -> HTTPAnswer {
        if Task.isCancelled { throw .cancelledByCaller }
        let running = try start(call, timeout: timeout)
        let result: Result<HTTPClient.Response, any Error> = await withTaskCancellationHandler {
            do { return .success(try await running.task.futureResult.get()) } catch { return .failure(error) }
        } onCancel: {
            running.task.cancel()
        }
        return try outcome(of: result, running, url: call.url).get()
    }

    /// A request under way, and whether it has begun to leave.
    private struct Running: Sendable {
        let task: HTTPClient.Task<HTTPClient.Response>
        let hasLeft: NIOLockedValueBox<Bool>
    }

    private func start(_ call: HTTPCall, timeout: Duration) throws(ConnectionFailure) -> Running {
        let scheme = call.url.prefix { $0 != ":" }.lowercased()
        guard scheme == "http" || scheme == "https" else {
            throw ConnectionFailure(.badRequest, "The URL is neither http nor https.")
        }
        guard !call.method.isEmpty, call.method.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }) else {
            throw ConnectionFailure(.badRequest, "The method is malformed.")
        }
        guard call.headers.allSatisfy({ !$0.name.isEmpty }) else {
            throw ConnectionFailure(.badRequest, "A header has no name.")
        }
        guard call.headers.allSatisfy({ $0.name.lowercased() != "host" }) else {
            throw ConnectionFailure(.badRequest, "The header Host comes from the URL.")
        }
        // The name by which connections know the exchanges of polls; not on the wire, and no caller's.
        guard call.headers.allSatisfy({ $0.name.lowercased() != PendingExchanges.field }) else {
            throw ConnectionFailure(.badRequest, "A header has a reserved name.")
        }
        do {
            let headers = HTTPHeaders(call.headers.map { ($0.name, $0.value) })
            let body: HTTPClient.Body? = call.body.isEmpty ? nil : .byteBuffer(ByteBuffer(bytes: call.body))
            let request = try HTTPClient.Request(
                url: call.url, method: HTTPMethod(rawValue: call.method), headers: headers, body: body)
            if proxy != nil, scheme == "https", HTTPEndpoint(host: request.host, port: 443, usesTLS: true).isAddress {
                throw ConnectionFailure.unverifiableAddress
            }
            let limit = TimeAmount.nanoseconds(max(timeout.clampedNanoseconds, 0))
            let hasLeft = NIOLockedValueBox(false)
            let delegate = CallDelegate(request: request, bodyLimit: bodyLimit, sent: hasLeft)
            let task = client.http.execute(request: request, delegate: delegate, deadline: .now() + limit)
            return Running(task: task, hasLeft: hasLeft)
        } catch {
            throw .calling(error)
        }
    }

    private func outcome(
        of result: Result<HTTPClient.Response, any Error>, _ running: Running, url: String
    ) -> Result<HTTPAnswer, ConnectionFailure> {
        result.map { response in
            HTTPAnswer(
                status: Int(response.status.code), headers: response.headers.map { HTTPField($0.name, $0.value) },
                body: response.body.map { Array($0.readableBytesView) } ?? [], url: url)
        }.mapError {
            running.hasLeft.withLockedValue { $0 } ? .calling($0, through: proxy) : .connecting($0, through: proxy)
        }
    }
}
