import EngineRuntime
import NIOConcurrencyHelpers

/// Queues the completion handlers of a client's calls in order with the events for its listeners. If a completion were put on the callback
/// queue directly, it would overtake messages that wait for a busy listener (rule PK-82).
///
/// Every completion is called exactly once. When the client is released, waiting completions go to the callback queue at once (rule PK-77).
final class CallbackLine: Sendable {
    private struct State {
        var last: UInt64 = 0
        var waiting: [UInt64: @Sendable () -> Void] = [:]
        var isClosed = false
    }

    private let state = NIOLockedValueBox(State())
    private let queue: CallbackQueue
    private let deliveries: Broadcaster<QueuedDelivery>

    init(queue: CallbackQueue, deliveries: Broadcaster<QueuedDelivery>) {
        self.queue = queue
        self.deliveries = deliveries
    }

    /// Runs `body` on the callback queue, after all work that was queued earlier. May be called from any thread.
    func run(_ body: @escaping @Sendable () -> Void) {
        let id: UInt64? = state.withLockedValue { state in
            if state.isClosed { return nil }
            state.last += 1
            state.waiting[state.last] = body
            return state.last
        }
        guard let id else { return queue.run(body) }
        deliveries.sendToCallbacks([.completion(id)])
    }

    /// Calls the waiting completion handler that has the number `id`. Runs on the callback queue.
    func call(_ id: UInt64) {
        let body = state.withLockedValue { $0.waiting.removeValue(forKey: id) }
        body?()
    }

    /// Puts the waiting completions on the callback queue at once, because the client was released.
    func close() {
        let left = state.withLockedValue { state in
            state.isClosed = true
            defer { state.waiting = [:] }
            return state.waiting.sorted { $0.key < $1.key }.map(\.value)
        }
        for body in left { queue.run(body) }
    }
}
