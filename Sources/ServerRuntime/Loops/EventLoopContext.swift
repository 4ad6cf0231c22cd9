import NIOConcurrencyHelpers
import NIOCore
import ServerValues

/// One event loop of a server, with its queue, metrics and state. May be used from any thread; ``state`` on the event loop only.
@usableFromInline
package final class EventLoopContext: Sendable {
    package let queue: LoopQueue
    private let mailbox: EventLoopMailbox<LoopState>
    private let published = NIOLockedValueBox(LoopCounters())

    package init(_ queue: LoopQueue) {
        self.queue = queue
        mailbox = EventLoopMailbox(queue, LoopState())
    }

    package var eventLoop: any EventLoop { queue.eventLoop }
    /// The number of the event loop within its server, from 0 on.
    package var number: Int { queue.number }
    /// The id of the event loop, which is unique among all servers that share a backend.
    package var eventLoopID: Int { queue.eventLoopID }
    package var congestion: LoopCongestion { queue.congestion }
    /// The current time by the server's clock.
    package var now: MonotonicInstant { queue.now() }

    /// The runtime's state on this event loop, for use on that event loop only.
    package var state: LoopState { mailbox.part }

    /// Queues an operation for the event loop's HTTP connections.
    package func enqueue(_ operation: LoopState.Operation) {
        mailbox.enqueue(operation)
    }

    /// The event loop's counters at the last call of ``publishCounters()``.
    package var counters: LoopCounters { published.withLockedValue { $0 } }

    /// Makes the counters visible to other threads. On the event loop only.
    package func publishCounters() {
        var counters = state.counters
        counters.tally = state.figures.applications.total
        published.withLockedValue { $0 = counters }
    }
}

/// The counters of one event loop since the server's start, summed over all applications.
package struct LoopCounters: Hashable, Sendable {
    /// The number of WebSockets refused with a close code: unknown or disabled application, connection limit, version, path.
    package var connectionsRefused = 0
    package var requests = 0
    /// The number of requests that were answered with a status of 400 or above.
    package var requestsRefused = 0
    package var tally = ApplicationTally()

    package init() {}

    package static func += (left: inout LoopCounters, right: LoopCounters) {
        left.connectionsRefused += right.connectionsRefused
        left.requests += right.requests
        left.requestsRefused += right.requestsRefused
        left.tally += right.tally
    }
}
