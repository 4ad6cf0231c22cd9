import NIOConcurrencyHelpers
import NIOCore

/// Passes elements of several threads to one closure, in order and one batch at a time. Elements that arrive while the closure runs
/// form its next batch.
///
/// The closure runs, and elements are released, outside of the lock, so both may add elements. Elements that were added before the last
/// reference to the worker was released are still processed.
package final class CoalescingWorker<Buffer: CoalescingBuffer & Sendable>: Sendable {
    /// The thread or queue on which the closure is called.
    package enum Place: Sendable {
        /// On a queue, one batch per work item, so that other work on the queue can run in between. With ``CallbackQueue/inline`` the
        /// caller processes elements until none are left.
        case queue(CallbackQueue)
        /// On an event loop, until no element is left: at once when the caller is on the loop, otherwise in a later turn.
        case loop(any EventLoop)
    }

    private struct State: Sendable {
        var queue: CoalescingQueue<Buffer>
        var isOver = false
    }

    private let state: NIOLockedValueBox<State>
    private let place: Place
    private let body: @Sendable (Buffer.Batch) -> Void

    /// - Parameter body: called with all waiting elements, never concurrently.
    package init(_ buffer: Buffer, on place: Place, body: @escaping @Sendable (Buffer.Batch) -> Void) {
        state = NIOLockedValueBox(State(queue: CoalescingQueue(waiting: buffer)))
        self.place = place
        self.body = body
    }

    /// Adds waiting elements. After ``end()`` nothing is added.
    ///
    /// - Parameter change: called at most once, under the lock; appends elements.
    package func put(_ change: (inout Buffer) -> Void) {
        let isMine = state.withLockedValue { state in
            if state.isOver { return false }
            change(&state.queue.waiting)
            return state.queue.begin()
        }
        guard isMine else { return }
        switch place {
        case .queue(let queue):
            if queue.isInline { empty() } else { takeTurn(on: queue) }
        case .loop(let loop):
            if loop.inEventLoop { empty() } else { loop.execute { [self] in empty() } }
        }
    }

    /// Drops the waiting elements, and accepts no more. A batch that is being processed is completed.
    package func end() {
        // Released at the end of the statement, outside of the lock.
        _ = state.withLockedValue { state in
            state.isOver = true
            return state.queue.waiting.takeAll()
        }
    }

    private func empty() {
        while let batch = state.withLockedValue({ $0.queue.takeAll() }) { body(batch) }
    }

    private func takeTurn(on queue: CallbackQueue) {
        queue.run { [self] in
            if let batch = state.withLockedValue({ $0.queue.takeAll() }) { body(batch) }
            if state.withLockedValue({ $0.queue.goesOn() }) { takeTurn(on: queue) }
        }
    }
}

extension CoalescingWorker where Buffer: RangeReplaceableCollection {
    /// A worker without waiting elements.
    package convenience init(on place: Place, body: @escaping @Sendable (Buffer.Batch) -> Void) {
        self.init(Buffer(), on: place, body: body)
    }

    /// Adds an element.
    package func put(_ element: Buffer.Element) {
        put { $0.append(element) }
    }
}
