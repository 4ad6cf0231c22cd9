import NIOConcurrencyHelpers
import NIOCore
import ServerValues

/// How much waits for one event loop, all services together, against what may wait (rules SV-14 and SV-15). May be used from any
/// thread.
package final class LoopQueue: Sendable {
    package let eventLoop: any EventLoop
    /// The number of the loop among the server's.
    package let number: Int
    /// The number of the loop among those of all servers that share a backend (``ServerNode``).
    package let eventLoopID: Int
    package let congestion: LoopCongestion
    /// How many bytes are written to one connection before it is flushed. Far below the limit of waiting bytes of a subscriber, so that
    /// a burst within one turn does not make a reader seem slow.
    package let burstBytes: Int
    /// How many bytes are processed in one turn, so that sockets can be written and requests be read in between.
    package let turnBytes: Int
    package let now: @Sendable () -> MonotonicInstant
    /// Beyond this much the loop is full, until half of it is done.
    private let maximumBytes: Int
    /// The loop of a cluster: what it queues in one turn is begun in one go.
    private let clusterLoop: (any EventLoop)?
    private let load = NIOLockedValueBox((bytes: 0, isFull: false, isClosed: false))

    package init(
        _ eventLoop: any EventLoop, number: Int, eventLoopID: Int, congestion: LoopCongestion, maximumPendingBytes: Int,
        maximumQueuedBytes: Int, clusterLoop: (any EventLoop)? = nil,
        now: @escaping @Sendable () -> MonotonicInstant
    ) {
        self.eventLoop = eventLoop
        self.number = number
        self.eventLoopID = eventLoopID
        self.congestion = congestion
        self.now = now
        self.clusterLoop = clusterLoop
        maximumBytes = max(maximumQueuedBytes, 1024)
        burstBytes = maximumPendingBytes / 8
        turnBytes = max(maximumPendingBytes / 2, 1)
    }

    /// Has the loop do something; on the loop of a cluster at the end of its turn, so that a batch of messages is written in one go
    /// (rule CR-27).
    package func execute(_ body: @escaping @Sendable () -> Void) {
        guard let clusterLoop, clusterLoop.inEventLoop else { return eventLoop.execute(body) }
        clusterLoop.execute { [eventLoop] in eventLoop.execute(body) }
    }

    /// The bytes that wait for the loop, and those that it is processing.
    package var bytes: Int { load.withLockedValue(\.bytes) }

    /// Counts something that waits.
    ///
    /// - Returns: whether the loop is full now; nil when it takes nothing any more, since its server has ended.
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

    /// Frees room for processed bytes, and notifies waiters.
    package func remove(_ bytes: Int) {
        let calls = load.withLockedValue { load in
            load.bytes -= bytes
            guard load.isFull, load.bytes <= maximumBytes / 2 else { return [LoopCongestion.Call]() }
            load.isFull = false
            return congestion.clear(eventLoopID)
        }
        for call in calls { call() }
    }

    /// Takes nothing any more, since the server has ended: whatever still comes, such as the answer of a slow store, has nobody to go to,
    /// and the thread of the loop may be gone (rule SV-77).
    package func close() {
        load.withLockedValue { $0.isClosed = true }
    }
}
