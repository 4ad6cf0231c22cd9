import ConnectionEngine
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import TransportCommon

/// A request that was checked and can be sent.
struct ValidatedCall: Sendable {
    let url: String
    let endpoint: HTTPEndpoint
    let exchange: HTTPExchange
    let head: HTTPRequestHead

    /// Checks a request.
    ///
    /// - Throws: category `badRequest` for a URL, method or header that cannot be sent (rule HT-3).
    init(_ call: HTTPCall) throws(ConnectionFailure) {
        let location = try RequestLocation(call.url)
        url = call.url
        endpoint = location.endpoint
        // The time limit of one day is never reached: the caller's shorter limit applies, which also includes waiting for a connection.
        exchange = HTTPExchange(
            id: 0, method: call.method, target: location.target, headers: call.headers.map { .init($0.name, $0.value) },
            body: call.body, timeout: .seconds(86_400))
        head = try RequestHeads(location.endpoint).head(for: exchange)
    }
}

/// A request in progress. It runs on its event loop; any thread may cancel it.
final class RunningCall: Sendable {
    typealias Completion = @Sendable (Result<HTTPCallAnswer, ConnectionFailure>) -> Void

    private let eventLoop: any EventLoop
    /// The completion; nil once it was called or the call was cancelled.
    private let completion: NIOLockedValueBox<Completion?>
    /// The request and its answer in progress; nil before the start and after the end. Used on the event loop only.
    private let exchange: NIOLoopBoundBox<CallExchange?>

    init(eventLoop: any EventLoop, completion: @escaping Completion) {
        self.eventLoop = eventLoop
        self.completion = NIOLockedValueBox(completion)
        exchange = .makeEmptyBox(eventLoop: eventLoop)
    }

    /// Starts the call. Called on the event loop.
    func start(_ request: ValidatedCall, on pool: ConnectionPool, bodyLimit: Int, deadline: NIODeadline) {
        guard completion.withLockedValue({ $0 != nil }) else { return }
        let exchange = CallExchange(request, pool: pool, bodyLimit: bodyLimit) { self.complete($0) }
        self.exchange.value = exchange
        exchange.start(deadline: deadline, on: eventLoop)
    }

    private func complete(_ result: Result<HTTPCallAnswer, ConnectionFailure>) {
        exchange.value = nil
        take()?(result)
    }

    private func take() -> Completion? {
        completion.withLockedValue { completion in
            defer { completion = nil }
            return completion
        }
    }

    /// Cancels the call at once; its completion is never called. Returns false when the completion was called already.
    @discardableResult
    func cancel() -> Bool {
        let isFirst = take() != nil
        if isFirst {
            eventLoop.execute { [exchange] in
                exchange.value?.cancel()
                exchange.value = nil
            }
        }
        return isFirst
    }
}

/// Sends one request of a caller over a pool, and reports its answer or failure within the request's time limit. Used on one event loop.
private final class CallExchange: ExchangeOwner {
    private let request: ValidatedCall
    private let pool: ConnectionPool
    private let bodyLimit: Int
    private let completion: (Result<HTTPCallAnswer, ConnectionFailure>) -> Void
    private var run: ExchangeRun?
    private var timer: Scheduled<Void>?
    /// Whether a connection has begun to write the request, in this attempt or an earlier one.
    private var wasSent = false

    init(
        _ request: ValidatedCall, pool: ConnectionPool, bodyLimit: Int,
        completion: @escaping (Result<HTTPCallAnswer, ConnectionFailure>) -> Void
    ) {
        self.request = request
        self.pool = pool
        self.bodyLimit = bodyLimit
        self.completion = completion
    }

    func start(deadline: NIODeadline, on eventLoop: any EventLoop) {
        timer = eventLoop.assumeIsolated().scheduleTask(deadline: deadline) {
            let wasSent = self.wasSent
            self.cancel()
            self.completion(
                .failure(
                    wasSent
                        ? ConnectionFailure(.timeout, "The server did not answer the request in time.")
                        : ConnectionFailure(.timeout, "No connection to the server was available in time.", precedesSending: true)
                ))
        }
        execute(isRepetition: false)
    }

    func cancel() {
        timer?.cancel()
        timer = nil
        run?.giveUp()
        run = nil
    }

    private func execute(isRepetition: Bool) {
        let run = ExchangeRun(
            request.exchange, head: request.head, isPoll: false, isRepetition: isRepetition, bodyLimit: bodyLimit,
            answerTimeout: .seconds(86_400), owner: self)
        self.run = run
        pool.execute(run, to: request.endpoint)
    }

    func began(_ run: ExchangeRun) { wasSent = true }
    func heard(_ run: ExchangeRun) {}

    func answered(_ run: ExchangeRun, head: HTTPResponseHead, body: ByteBuffer) {
        end(
            .success(
                HTTPCallAnswer(
                    status: Int(head.status.code), headers: head.headers.map { HTTPField($0.name, $0.value) },
                    body: Array(body.readableBytesView), url: request.url)))
    }

    func failed(_ run: ExchangeRun, error: any Error) {
        if run.isStale(within: .seconds(1)) { return execute(isRepetition: true) }
        var failure = ConnectionFailure.calling(error)
        failure.precedesSending = !wasSent
        end(.failure(failure))
    }

    private func end(_ result: Result<HTTPCallAnswer, ConnectionFailure>) {
        timer?.cancel()
        timer = nil
        run = nil
        completion(result)
    }
}
