import Dispatch
import EngineRuntime
import NIOConcurrencyHelpers

/// All handlers of the application, and the one serial queue on which they and all completions are called (rule NC-20).
final class HandlerRegistry: Sendable {
    let connectionStatus = HandlerList<any ConnectionStatusHandler>()
    let chat = ChatHandlers()

    private let queue: NIOLockedValueBox<CallbackQueue>
    /// A closure around all calls of handlers; nil for none.
    private let surrounding = NIOLockedValueBox<(@Sendable (() -> Void) -> Void)?>(nil)

    init(queue: CallbackQueue = .queue(DispatchQueue(label: "nexconn.callbacks"))) {
        self.queue = NIOLockedValueBox(queue)
    }

    /// Sets the queue on which handlers are called.
    func use(_ queue: CallbackQueue) {
        self.queue.withLockedValue { $0 = queue }
    }

    /// Runs `work` on the callback queue, after all earlier work. To deliver a batch of changes, call this once, with a closure that
    /// calls the handlers for every change, such as with `registry.connectionStatus.tell { … }`.
    func run(_ work: @escaping @Sendable () -> Void) {
        let queue = queue.withLockedValue { $0 }
        guard let surrounding = surrounding.withLockedValue({ $0 }) else { return queue.run(work) }
        queue.run { surrounding(work) }
    }

    /// Runs all later work inside of `body`, which has to call its argument.
    func surround(_ body: @escaping @Sendable (() -> Void) -> Void) {
        surrounding.withLockedValue { $0 = body }
    }
}
