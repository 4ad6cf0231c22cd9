import NIOConcurrencyHelpers
import NIOCore
import ServerValues

/// Counts the bytes that all services have queued for one event loop, and compares them with their limit (rules SV-14 and SV-15). May be
/// used from any thread.
package final class LoopQueue: Sendable {
    package let eventLoop: any EventLoop
    /// The number of the event loop within its server, from 0 on.
    package let number: Int
    /// The id of the event loop, which is unique among all servers that share a backend (``ServerNode``).
    package let eventLoopID: Int
    package let congestion: LoopCongestion
    /// How many bytes are written to one connection before it is flushed: an eighth of the limit of a subscriber's unsent bytes, so that a
    /// burst within one turn does not make a client look like a slow reader.
    package let burstBytes: Int
    /// How many bytes the event loop processes in one turn. Between two turns it can write to sockets and read requests.
    package let turnBytes: Int
    package let now: @Sendable () -> MonotonicInstant
    /// The number of queued bytes at which the queue is full. It has room again when half of them are processed.
    private let maximumBytes: Int
    /// The event loops that receive messages from other servers of the cluster. Closures that such an event loop passes to ``execute(_:)``
    /// in one turn start together after that turn.
    private let clusterLoops: [any EventLoop]
    private let load = NIOLockedValueBox((bytes: 0, isFull: false, isClosed: false))

    package init(
        _ eventLoop: any EventLoop, number: Int, eventLoopID: Int, congestion: LoopCongestion, maximumPendingBytes: Int,
        maximumQueuedBytes: Int, clusterLoops: [any EventLoop] = [],
        now: @escaping @Sendable () -> MonotonicInstant
    ) {
        self.eventLoop = eventLoop
        self.number = number
        self.eventLoopID = eventLoopID
        self.congestion = congestion
        self.now = now
        self.clusterLoops = clusterLoops
        maximumBytes = max(maximumQueuedBytes, 1024)
        burstBytes = maximumPendingBytes / 8
        turnBytes = max(maximumPendingBytes / 2, 1)
    }

    /// Runs a closure on this event loop. If the caller runs on an event loop that receives messages from other servers of the cluster, the
    /// closure starts after the current turn of that event loop, so that a batch of messages is written at once (rule CR-27).
    package func execute(_ body: @escaping @Sendable () -> Void) {
        guard let clusterLoop = clusterLoops.first(where: \.inEventLoop) else { return eventLoop.execute(body) }
        clusterLoop.execute { [eventLoop] in eventLoop.execute(body) }
    }

    /// The number of bytes that are queued for the event loop, including those that it is processing.
    package var bytes: Int { load.withLockedValue(\.bytes) }

    /// Counts a queued operation of `bytes` bytes.
    ///
    /// - Returns: whether the queue is full now; nil when it accepts nothing, because the server has ended.
    package func add(_ bytes: Int) -> Bool? {
        load.withLockedValue { load in
            guard !load.isClosed else { return nil }
            load.bytes += bytes
            if load.bytes > maximumBytes, !load.isFull {
                load.isFull = true
                congestion.fill(eventLoopID)
            }
            return load.isFull
        }
    }

    /// Subtracts processed bytes, and notifies waiting callers if the queue has room again.
    package func remove(_ bytes: Int) {
        let calls = load.withLockedValue { load in
            load.bytes -= bytes
            guard load.isFull, load.bytes <= maximumBytes / 2 else { return [LoopCongestion.Call]() }
            load.isFull = false
            return congestion.clear(eventLoopID)
        }
        for call in calls { call() }
    }

    /// Makes the queue refuse all later operations, because the server has ended (rule SV-77). An operation such as the answer of a slow
    /// store then has no receiver any more, and the thread of the event loop may have ended.
    package func close() {
        load.withLockedValue { $0.isClosed = true }
    }
}
