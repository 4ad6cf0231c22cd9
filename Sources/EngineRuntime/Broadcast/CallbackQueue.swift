import Dispatch
import NIOCore

/// The queue or thread on which callbacks run.
public struct CallbackQueue: Sendable {
    let enqueue: @Sendable (@escaping @Sendable () -> Void) -> Void
    /// Whether ``run(_:)`` executes the work before it returns.
    private(set) var isInline = false

    /// Creates a queue of the application. `enqueue` must run the closures one after the other, in order.
    public init(enqueue: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        self.enqueue = enqueue
    }

    /// Runs `work` on the queue.
    public func run(_ work: @escaping @Sendable () -> Void) {
        enqueue(work)
    }

    /// The main queue. On Linux its work runs only while the main thread is in `dispatchMain()` or a run loop.
    public static let main = CallbackQueue { DispatchQueue.main.async(execute: $0) }

    /// A serial dispatch queue.
    public static func queue(_ queue: DispatchQueue) -> CallbackQueue {
        CallbackQueue { queue.async(execute: $0) }
    }

    /// A queue that runs its work on an event loop.
    package static func turns(of eventLoop: any EventLoop) -> CallbackQueue {
        CallbackQueue { eventLoop.execute($0) }
    }

    /// A queue that runs work at once on the calling thread. For callbacks this is the thread that drives the engine, so they must never
    /// block. Also used by tests.
    public static let inline = {
        var queue = CallbackQueue { $0() }
        queue.isInline = true
        return queue
    }()
}
