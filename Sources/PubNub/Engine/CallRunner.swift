import ConnectionEngine
import EngineRuntime
import HTTPTransport
import NIOConcurrencyHelpers
import PubNubProtocol
import TransportCommon

/// Sends the requests of calls, and calls the completion of each request exactly once. Releasing the runner cancels the requests in
/// progress and calls their completions.
final class CallRunner: Sendable {
    typealias Completion = @Sendable (Result<HTTPCallAnswer, ConnectionFailure>) -> Void

    private struct Pending {
        var completion: Completion
        /// Cancels the request; nil until the transport's `send` has returned.
        var cancel: JobCancellation?
    }

    private struct State {
        var last: UInt64 = 0
        var isClosed = false
        var pending: [UInt64: Pending] = [:]
        /// Closures to call as soon as no request is pending.
        var waiters: [@Sendable () -> Void] = []

        mutating func takeWaiters() -> [@Sendable () -> Void] {
            guard pending.isEmpty else { return [] }
            defer { waiters = [] }
            return waiters
        }
    }

    private let transport: any CallTransport
    private let state = NIOLockedValueBox(State())

    init(transport: any CallTransport) {
        self.transport = transport
    }

    deinit {
        cancelAll()
    }

    /// Cancels all requests, because the client was released. Requests that are sent afterwards are cancelled at once.
    func close() {
        state.withLockedValue { $0.isClosed = true }
        cancelAll()
    }

    /// Cancels all requests, in the order in which they were sent. Each completion gets a cancellation.
    func cancelAll() {
        let (left, waiters) = state.withLockedValue { state in
            let left = state.pending.sorted { $0.key < $1.key }.map(\.value)
            state.pending = [:]
            return (left, state.takeWaiters())
        }
        for pending in left {
            pending.cancel?()
            pending.completion(.failure(.cancelledByCaller))
        }
        for waiter in waiters { waiter() }
    }

    /// Calls `body` when no request is pending: at once, or on the thread on which the last request completes.
    func whenIdle(_ body: @escaping @Sendable () -> Void) {
        let isIdle = state.withLockedValue { state in
            if !state.pending.isEmpty { state.waiters.append(body) }
            return state.pending.isEmpty
        }
        if isIdle { body() }
    }

    /// Sends a request and returns at once. `completion` is called once, on any thread.
    ///
    /// - Returns: the id of the request, for `cancel(_:)`.
    @discardableResult
    func send(_ request: CallRequest, completion: @escaping Completion) -> UInt64 {
        let (id, isClosed) = state.withLockedValue { state in
            state.last += 1
            if !state.isClosed { state.pending[state.last] = Pending(completion: completion) }
            return (state.last, state.isClosed)
        }
        if isClosed {
            completion(.failure(.cancelledByCaller))
            return id
        }
        let exchange = HTTPExchange(
            id: id, method: request.method, target: request.target, headers: request.headers, body: request.body,
            timeout: request.timeout)
        let cancel = transport.send(exchange, to: request.endpoint) { [weak self] result in
            self?.finish(id, result)
        }
        state.withLockedValue { $0.pending[id]?.cancel = cancel }
        return id
    }

    /// Cancels a request. Its completion gets a cancellation, unless the request has already completed; then nothing happens.
    func cancel(_ id: UInt64) {
        let (pending, waiters) = take(id)
        pending?.cancel?()
        pending?.completion(.failure(.cancelledByCaller))
        for waiter in waiters { waiter() }
    }

    private func finish(_ id: UInt64, _ result: Result<HTTPCallAnswer, ConnectionFailure>) {
        let (pending, waiters) = take(id)
        pending?.completion(result)
        for waiter in waiters { waiter() }
    }

    private func take(_ id: UInt64) -> (pending: Pending?, waiters: [@Sendable () -> Void]) {
        state.withLockedValue { state in
            let pending = state.pending.removeValue(forKey: id)
            return (pending, state.takeWaiters())
        }
    }
}

/// An HTTP request with its address, ready to be sent.
struct CallRequest: Hashable, Sendable {
    var endpoint: HTTPEndpoint
    var method: String
    var target: String
    var headers: [HTTPExchange.Header]
    var body: [UInt8]
    var timeout: Duration
}
