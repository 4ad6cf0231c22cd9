import NIOConcurrencyHelpers

/// Calls a closure with batches on a queue. While a batch runs, what arrives gathers for the next one.
final class CallbackSink<Element: Sendable>: Sink {
    private struct State {
        var backlog: BoundedBacklog<Element>
        var isScheduled = false
        var isFinished = false
    }

    let isSequence = false
    private let state: NIOLockedValueBox<State>
    private let queue: CallbackQueue
    private let body: @Sendable ([Element]) -> Void

    init(backlog: BoundedBacklog<Element>, queue: CallbackQueue, body: @escaping @Sendable ([Element]) -> Void) {
        state = NIOLockedValueBox(State(backlog: backlog))
        self.queue = queue
        self.body = body
    }

    func receive(_ elements: [Element]) {
        let mustSchedule = state.withLockedValue { state in
            if state.isFinished { return false }
            state.backlog.append(contentsOf: elements)
            if state.isScheduled { return false }
            state.isScheduled = true
            return true
        }
        if mustSchedule { schedule() }
    }

    func finish() {
        state.withLockedValue { state in
            state.isFinished = true
            _ = state.backlog.takeAll()
        }
    }

    private func schedule() {
        queue.enqueue { [self] in
            let batch = state.withLockedValue { $0.backlog.takeAll() }
            if !batch.isEmpty { body(batch) }
            let hasMore = state.withLockedValue { state in
                if state.backlog.isEmpty { state.isScheduled = false }
                return state.isScheduled
            }
            // One hop per batch, so that others on the queue get their turn.
            if hasMore { schedule() }
        }
    }
}
