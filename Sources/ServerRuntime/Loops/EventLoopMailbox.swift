import NIOConcurrencyHelpers
import NIOCore
import ServerValues

/// An operation that a service performs on an event loop.
package protocol LoopOperation: Sendable {
    /// The approximate memory that the operation takes while it waits.
    var queuedBytes: Int { get }
}

/// A service's state and operations on one event loop. Used on that event loop only.
package protocol LoopPart: LoopResident, SendableMetatype {
    associatedtype Operation: LoopOperation

    /// Performs operations in order, and sends the written data, until all or `budget` bytes of them are done.
    ///
    /// - Returns: the index behind the last performed operation, and the counted bytes of the performed ones.
    func perform(_ operations: [Operation], from start: Int, budget: Int) -> (next: Int, bytes: Int)
    /// Called at the end of a turn. `since` is when the first of the operations was queued; nil while some of them are left.
    func endTurn(since: MonotonicInstant?)
}

/// A mailbox: any thread can enqueue operations for a service's state on one event loop.
///
/// The operations that are queued during one turn of the event loop are performed together: with one wake-up of the event loop
/// instead of one for each message, and one flush for each connection. The queue is bounded because publishers check
/// ``LoopCongestion`` and wait when it is full. A type parameter instead of an existential avoids allocating boxes for messages.
package final class EventLoopMailbox<Part: LoopPart>: Sendable {
    private struct Inbox {
        var operations: [Part.Operation] = []
        var isScheduled = false
        /// When the first of the operations was queued.
        var since = MonotonicInstant(nanoseconds: 0)
    }

    /// Operations that were accepted and are not finished.
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

    /// The state, for use on the event loop only.
    package var part: Part { bound.value }

    /// Queues an operation. Operations that are queued under one lock of the hub keep their order.
    ///
    /// - Returns: whether the event loop's queue is full. The operation is queued nevertheless, but its author should pause. When
    ///   the server has ended, the operation is dropped.
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

    /// Performs one turn. Remaining operations get another turn, and operations that are queued meanwhile follow them.
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
            // Performed operations are released while the rest waits.
            work.operations.removeFirst(next)
            self.work.value = work
            queue.eventLoop.execute { self.drain() }
        }
        queue.remove(bytes)
        part.endTurn(since: isDone ? since : nil)
    }
}
