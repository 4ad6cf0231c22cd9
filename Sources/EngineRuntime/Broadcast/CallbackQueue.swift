import Dispatch
import NIOCore

/// The queue on which callbacks run.
public struct CallbackQueue: Sendable {
    let enqueue: @Sendable (@escaping @Sendable () -> Void) -> Void
    /// Whether the work has been done when ``run(_:)`` returns.
    private(set) var isInline = false

    /// A queue of the app. `enqueue` must run the closures one after the other, in order.
    public init(enqueue: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        self.enqueue = enqueue
    }

    /// Runs `work` on the queue.
    public func run(_ work: @escaping @Sendable () -> Void) {
        enqueue(work)
    }

    /// The main queue. On Linux it runs only while the main thread runs it: `dispatchMain()` or a run loop.
    public static let main = CallbackQueue { DispatchQueue.main.async(execute: $0) }

    /// A serial dispatch queue.
    public static func queue(_ queue: DispatchQueue) -> CallbackQueue {
        CallbackQueue { queue.async(execute: $0) }
    }

    /// A queue that runs its work on an event loop.
    package static func turns(of eventLoop: any EventLoop) -> CallbackQueue {
        CallbackQueue { eventLoop.execute($0) }
    }

    /// On the engine's own thread, at once. For code that cannot block and for tests.
    public static let inline = {
        var queue = CallbackQueue { $0() }
        queue.isInline = true
        return queue
    }()
}
