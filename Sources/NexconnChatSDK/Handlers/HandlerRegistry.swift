import Dispatch
import EngineRuntime
import NIOConcurrencyHelpers

/// All handlers of the application, and the one serial queue on which they and all completions are called (rule NC-20).
final class HandlerRegistry: Sendable {
    let connectionStatus = HandlerList<any ConnectionStatusHandler>()
    let chat = ChatHandlers()

    private let queue: NIOLockedValueBox<CallbackQueue>

    init(queue: CallbackQueue = .queue(DispatchQueue(label: "nexconn.callbacks"))) {
        self.queue = NIOLockedValueBox(queue)
    }

    /// What is told from now on is told on `queue`.
    func use(_ queue: CallbackQueue) {
        self.queue.withLockedValue { $0 = queue }
    }

    /// Runs `work` on the callback queue, behind all that was handed over before. One call for all that one batch brought: inside,
    /// `registry.connectionStatus.tell { … }`.
    func run(_ work: @escaping @Sendable () -> Void) {
        queue.withLockedValue { $0 }.run(work)
    }
}
