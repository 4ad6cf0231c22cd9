import NIOConcurrencyHelpers
import NIOCore
import ServerValues

/// Something that a service has to do on an event loop.
package protocol LoopOperation: Sendable {
    /// The approximate memory that the operation takes while it waits.
    var queuedBytes: Int { get }
}

/// A service's state and work on one event loop. Used on that loop only.
package protocol LoopPart: LoopResident, SendableMetatype {
    associatedtype Operation: LoopOperation

    /// Does operations in their order, and sends what they wrote, until all or `budget` bytes of them are done.
    ///
    /// - Returns: the index behind the last one that was done, and the bytes that the done ones counted for.
    func perform(_ operations: [Operation], from start: Int, budget: Int) -> (next: Int, bytes: Int)
    /// The last thing in a turn. `since` is when the first of the operations was queued; nil while some of them are left.
    func endTurn(since: MonotonicInstant?)
}

/// The way to what a service keeps on one event loop, from any thread.
///
/// Whatever is asked for in one turn of the loop is done in one go: one hop for the loop, not one for each message, and one flush
/// for each connection. What waits is bounded by publishers who look at ``LoopCongestion`` and wait in turn.
/// A type parameter instead of an existential keeps the way of a message free of boxes.
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

    /// To be used on the event loop only.
    package var part: Part { bound.value }

    /// Queues an operation. Operations queued under one lock of the hub keep their order.
    ///
    /// - Returns: whether the loop is full now. The operation is queued also then: whoever caused it should pause. When the server has
    ///   ended, the operation is dropped.
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

    /// One turn. Remaining operations get another one, and operations that are queued meanwhile follow them.
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
            // Finished operations are not kept while the rest waits.
            work.operations.removeFirst(next)
            self.work.value = work
            queue.eventLoop.execute { self.drain() }
        }
        queue.remove(bytes)
        part.endTurn(since: isDone ? since : nil)
    }
}
