import Dispatch
import NIOConcurrencyHelpers

/// Takes things to the work queue in the order in which they were put in. While the queue is busy they gather, and go together.
final class Inlet<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var isScheduled = false
    }

    private let state = NIOLockedValueBox(State())
    private let queue: DispatchQueue
    private let body: @Sendable ([Element]) -> Void

    /// - Parameter body: called on `queue` with everything that has gathered.
    init(queue: DispatchQueue, body: @escaping @Sendable ([Element]) -> Void) {
        self.queue = queue
        self.body = body
    }

    func put(_ elements: [Element]) {
        let mustSchedule = state.withLockedValue { state in
            state.elements += elements
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        guard mustSchedule else { return }
        queue.async { [self] in
            let gathered = state.withLockedValue { state in
                defer { state = State() }
                return state.elements
            }
            body(gathered)
        }
    }
}
