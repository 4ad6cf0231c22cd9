import ConnectionEngine
import EngineRuntime
import HTTPTransport
import NIOConcurrencyHelpers
import PubNubProtocol
import TransportCommon

/// Makes calls: one request each, answered exactly once. Releasing it cancels what is under way, and says so to who waits.
final class CallRunner: Sendable {
    typealias Completion = @Sendable (Result<HTTPAnswer, ConnectionFailure>) -> Void

    private struct Pending {
        var completion: Completion
        /// Nil until the transport has returned.
        var cancel: JobCancellation?
    }

    private struct State {
        var last: UInt64 = 0
        var pending: [UInt64: Pending] = [:]
    }

    private let transport: any CallTransport
    private let state = NIOLockedValueBox(State())

    init(transport: any CallTransport) {
        self.transport = transport
    }

    deinit {
        let left = state.withLockedValue { state in
            defer { state.pending = [:] }
            return state.pending.sorted { $0.key < $1.key }.map(\.value)
        }
        for pending in left {
            pending.cancel?()
            pending.completion(.failure(.cancelledByCaller))
        }
    }

    /// Makes a request. Returns at once; `completion` comes once, on any thread.
    ///
    /// - Returns: what cancels it.
    @discardableResult
    func send(_ request: CallRequest, completion: @escaping Completion) -> UInt64 {
        let id = state.withLockedValue { state in
            state.last += 1
            state.pending[state.last] = Pending(completion: completion)
            return state.last
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

    /// Ends a request, whose completion is told so. Does nothing once it was answered.
    func cancel(_ id: UInt64) {
        guard let pending = state.withLockedValue({ $0.pending.removeValue(forKey: id) }) else { return }
        pending.cancel?()
        pending.completion(.failure(.cancelledByCaller))
    }

    private func finish(_ id: UInt64, _ result: Result<HTTPAnswer, ConnectionFailure>) {
        let pending = state.withLockedValue { $0.pending.removeValue(forKey: id) }
        pending?.completion(result)
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
