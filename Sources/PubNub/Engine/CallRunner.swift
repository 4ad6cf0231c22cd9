import ConnectionEngine
import EngineRuntime
import HTTPTransport
import NIOConcurrencyHelpers
import PubNubProtocol
import TransportCommon

/// Makes calls: one request each, answered exactly once. Releasing it cancels calls in progress and answers their callers.
final class CallRunner: Sendable {
    typealias Completion = @Sendable (Result<HTTPCallAnswer, ConnectionFailure>) -> Void

    private struct Pending {
        var completion: Completion
        /// Cancels the request; nil until the transport has returned.
        var cancel: JobCancellation?
    }

    private struct State {
        var last: UInt64 = 0
        var isClosed = false
        var pending: [UInt64: Pending] = [:]
        /// Called when no request is pending any more.
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

    /// Ends all requests, and every later one at once, because the client was released.
    func close() {
        state.withLockedValue { $0.isClosed = true }
        cancelAll()
    }

    /// Cancels all requests, in the order in which they were made; each completion gets a cancellation.
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

    /// Calls `body` once every request was answered: at once when none is pending, otherwise on the thread of the last answer.
    func whenIdle(_ body: @escaping @Sendable () -> Void) {
        let isIdle = state.withLockedValue { state in
            if !state.pending.isEmpty { state.waiters.append(body) }
            return state.pending.isEmpty
        }
        if isIdle { body() }
    }

    /// Makes a request. Returns at once; `completion` is called once, on any thread.
    ///
    /// - Returns: the id that `cancel(_:)` takes.
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

    /// Cancels a request, whose completion gets a cancellation. Does nothing once it was answered.
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

/// A request with its address, ready to be sent.
struct CallRequest: Hashable, Sendable {
    var endpoint: HTTPEndpoint
    var method: String
    var target: String
    var headers: [HTTPExchange.Header]
    var body: [UInt8]
    var timeout: Duration
}
