import NIOConcurrencyHelpers
import NIOCore
import ServerValues

/// An operation that other threads queue, and that a service performs on one event loop.
package protocol LoopOperation: Sendable {
    /// The approximate memory in bytes that the operation takes while it is queued.
    var queuedBytes: Int { get }
}

/// The state of a service on one event loop. It performs the operations of an ``EventLoopMailbox``, and is used on that event loop only.
package protocol LoopPart: LoopResident, SendableMetatype {
    associatedtype Operation: LoopOperation

    /// Performs operations in order and sends the written data, until all operations are done or `budget` bytes of them.
    ///
    /// - Returns: the index after the last performed operation, and the number of bytes of the performed operations.
    func perform(_ operations: [Operation], from start: Int, budget: Int) -> (next: Int, bytes: Int)
    /// Called after each batch of operations. `since` is the time when the first operation of the batch was queued; nil if operations of
    /// the batch remain.
    func endTurn(since: MonotonicInstant?)
}

/// A mailbox: any thread can enqueue operations for a service's state on one event loop.
///
/// The operations that are queued during one turn of the event loop are performed together: with one wake-up of the event loop instead of
/// one for each message, and one flush for each connection. The queue is bounded because publishers check ``LoopCongestion`` and wait when
/// it is full. The state's type is a type parameter, because an existential would allocate a box for each message.
package final class EventLoopMailbox<Part: LoopPart>: Sendable {
    private struct Inbox {
        var operations: [Part.Operation] = []
        var isScheduled = false
        /// The time when the first of the queued operations was added.
        var since = MonotonicInstant(nanoseconds: 0)
    }

    /// The operations that the event loop has taken from the queue and not finished.
    private struct Work {
        var operations: [Part.Operation] = []
        var since = MonotonicInstant(nanoseconds: 0)
    }

    package let queue: LoopQueue
    private let inbox = NIOLockedValueBox(Inbox())
    private let bound: NIOLoopBoundBox<Part>
    private let work: NIOLoopBoundBox<Work>

    package init(_ queue: LoopQueue, _ part: sending Part) {
        self.queue = queue
        bound = NIOLoopBoundBox.makeBoxSendingValue(part, eventLoop: queue.eventLoop)
        work = NIOLoopBoundBox.makeBoxSendingValue(Work(), eventLoop: queue.eventLoop)
    }

    /// The service's state, for use on the event loop only.
    package var part: Part { bound.value }

    /// Queues an operation. Operations that a service queues while it holds one lock keep their order.
    ///
    /// - Returns: whether the event loop's queue is full. The operation is queued nevertheless, but the caller should pause. When the
    ///   server has ended, the operation is dropped.
    @discardableResult
    package func enqueue(_ operation: Part.Operation) -> Bool {
        guard let isFull = queue.add(operation.queuedBytes) else { return false }
        let mustSchedule = inbox.withLockedValue { inbox in
            inbox.operations.append(operation)
            guard !inbox.isScheduled else { return false }
            inbox.isScheduled = true
            inbox.since = queue.now()
            return true
        }
        if mustSchedule { queue.execute { self.drain() } }
        return isFull
    }

    /// Performs operations for one turn of the event loop. Remaining operations get another turn, before operations that are queued
    /// meanwhile.
    private func drain() {
        var work = Work()
        swap(&work, &self.work.value)
        if work.operations.isEmpty {
            inbox.withLockedValue { inbox in
                inbox.isScheduled = false
                work.since = inbox.since
                swap(&work.operations, &inbox.operations)
            }
        }
        let part = part
        let (next, bytes) = part.perform(work.operations, from: 0, budget: queue.turnBytes)
        let isDone = next == work.operations.count
        let since = work.since
        if isDone {
            work.operations = []
        } else {
            // Releases the performed operations now, while the remaining ones wait for the next turn.
            work.operations.removeFirst(next)
            self.work.value = work
            queue.eventLoop.execute { self.drain() }
        }
        queue.remove(bytes)
        part.endTurn(since: isDone ? since : nil)
    }
}
