import Dispatch
import EngineRuntime
import NIOConcurrencyHelpers

/// All handlers of the application, and the serial queue on which handlers and completions are called (rule NC-20).
final class HandlerRegistry: Sendable {
    let connectionStatus = HandlerList<any ConnectionStatusHandler>()
    let chat = ChatHandlers()

    private let queue: NIOLockedValueBox<CallbackQueue>
    /// A closure inside of which all handlers and completions are called; nil for none.
    private let surrounding = NIOLockedValueBox<(@Sendable (() -> Void) -> Void)?>(nil)

    init(queue: CallbackQueue = .queue(DispatchQueue(label: "nexconn.callbacks"))) {
        self.queue = NIOLockedValueBox(queue)
    }

    /// Sets the queue on which handlers and completions are called.
    func use(_ queue: CallbackQueue) {
        self.queue.withLockedValue { $0 = queue }
    }

    /// Runs `work` on the callback queue, after all earlier work. To deliver a batch of changes, call this once with a closure that calls
    /// the handlers for every change, for example with `registry.connectionStatus.tell { … }`.
    func run(_ work: @escaping @Sendable () -> Void) {
        let queue = queue.withLockedValue { $0 }
        guard let surrounding = surrounding.withLockedValue({ $0 }) else { return queue.run(work) }
        queue.run { surrounding(work) }
    }

    /// Calls handlers and completions inside of `body` from now on. `body` has to call its argument.
    func surround(_ body: @escaping @Sendable (() -> Void) -> Void) {
        surrounding.withLockedValue { $0 = body }
    }
}
