import NIOConcurrencyHelpers
import NIOCore

/// Passes elements that several threads add to one closure, in order and one batch at a time. Elements that arrive while the closure runs
/// form its next batch.
///
/// The closure runs, and elements are released, outside of the lock, so both may add elements. The worker still processes elements that
/// were added before its last reference was released.
package final class CoalescingWorker<Buffer: CoalescingBuffer & Sendable>: Sendable {
    /// The thread or queue on which the closure is called.
    package enum Place: Sendable {
        /// The closure runs on a queue, one batch per work item, so that other work on the queue can run in between. With
        /// ``CallbackQueue/inline`` the thread that adds elements processes them until none are left.
        case queue(CallbackQueue)
        /// The closure runs on an event loop until no element is left: at once when the caller is on the loop, otherwise in a later task of
        /// the loop.
        case loop(any EventLoop)
    }

    private struct State: Sendable {
        var queue: CoalescingQueue<Buffer>
        var isOver = false
    }

    private let state: NIOLockedValueBox<State>
    private let place: Place
    private let body: @Sendable (Buffer.Batch) -> Void

    /// Creates a worker with the elements of `buffer`.
    ///
    /// - Parameter body: called with all waiting elements, never concurrently.
    package init(_ buffer: Buffer, on place: Place, body: @escaping @Sendable (Buffer.Batch) -> Void) {
        state = NIOLockedValueBox(State(queue: CoalescingQueue(waiting: buffer)))
        self.place = place
        self.body = body
    }

    /// Adds elements and has them processed. Has no effect after ``end()``.
    ///
    /// - Parameter change: called at most once, while the lock is held; appends elements to the buffer.
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

    /// Drops the waiting elements, and ignores elements that are added later. A batch that is being processed is completed.
    package func end() {
        // The elements are released at the end of the statement, outside of the lock.
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
    /// Creates a worker without waiting elements.
    package convenience init(on place: Place, body: @escaping @Sendable (Buffer.Batch) -> Void) {
        self.init(Buffer(), on: place, body: body)
    }

    /// Adds an element.
    package func put(_ element: Buffer.Element) {
        put { $0.append(element) }
    }
}
