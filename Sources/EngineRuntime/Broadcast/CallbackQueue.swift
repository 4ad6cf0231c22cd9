import Dispatch

/// Where callbacks run.
public struct CallbackQueue: Sendable {
    let enqueue: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// A queue of one's own. `enqueue` must run what it gets one after the other, in order.
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

    /// On the engine's own thread, at once. For code that cannot block and for tests.
    public static let inline = CallbackQueue { $0() }
}
