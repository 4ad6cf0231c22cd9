import ClientRuntime
import ConnectionEngine
import EngineRuntime
import HTTPTransport
import NIOConcurrencyHelpers

/// Replaces the transports, timers and HTTP requests of the clients of a test service.
final class TestDouble: ServiceDouble {
    private let core: ServiceCore
    private let seed = NIOLockedValueBox<UInt64>(0)

    init(core: ServiceCore) {
        self.core = core
    }

    var timers: any TimerScheduler { core.clock }
    var unixSeconds: Int { Int(core.ticks / 10_000_000) }
    var consumers: any ConsumerTracker { core.work }

    func nextSeed() -> UInt64 {
        seed.withLockedValue { seed in
            seed += 1
            return seed
        }
    }

    func webSocket<Session: WebSocketSession>(
        decoder: @escaping @Sendable () -> Session.Decoder
    ) -> any ClientTransport<Session> {
        TestSocketTransport<Session>(core: core, decoder: decoder)
    }

    func longPoll<Session: LongPollSession>(
        decoder: @escaping @Sendable () -> Session.Decoder
    ) -> any ClientTransport<Session> {
        TestPollTransport<Session>(core: core, decoder: decoder)
    }

    func send(
        _ call: HTTPCall, timeout: Duration, completion: @escaping @Sendable (Result<HTTPCallAnswer, ConnectionFailure>) -> Void
    ) -> JobCancellation {
        let id = core.send(call, timeout: timeout, completion: completion)
        return { [core] in core.cancel(id) }
    }

    func observeNetwork(_ report: @escaping @Sendable (NetworkStatus) -> Void) -> @Sendable () -> Void {
        let id = core.change { state in
            let id = state.nextID()
            state.networkObservers[id] = report
            return id
        }
        return { [weak core] in core?.change { state in state.networkObservers[id] = nil } }
    }

    func start(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> { core.work.start(work) }

    func track(whenIdle: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool) { core.work.add(whenIdle) }

    func track(_ queue: CallbackQueue) { core.work.add(queue) }
}

extension ServiceCore {
    /// Called when a client makes an HTTP request. Returns the request's number for ``cancel(_:)``.
    func send(
        _ request: HTTPCall, timeout: Duration,
        completion: @escaping @Sendable (Result<HTTPCallAnswer, ConnectionFailure>) -> Void
    ) -> UInt64 {
        work.note("a client has made a request, \(request.method)")
        let now = timers.now
        return change { state in
            state.now = now
            let id = state.nextID()
            state.requests[id] = TestExchange(request: request, complete: completion)
            state.requested(id)
            if state.requests[id] != nil {
                let cancel = schedule(after: timeout) { $0.finish(id, .failure(.late)) }
                state.requests[id]?.cancelTimeout = cancel
            }
            return id
        }
    }

    /// Called when a client cancels a request.
    func cancel(_ id: UInt64) {
        change { state in
            guard let exchange = state.requests.removeValue(forKey: id) else { return }
            exchange.cancelTimeout?()
        }
    }
}
