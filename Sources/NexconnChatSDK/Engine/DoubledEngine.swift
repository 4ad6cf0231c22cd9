import ClientRuntime
import Dispatch
import EngineRuntime

/// An engine of ``NCEngine`` for tests. A test double replaces the server and provides the clock, so no sockets are used.
package final class DoubledEngine: Sendable {
    private let engine: ChatEngine

    /// Creates an engine that is not initialised yet.
    package init(on double: any ServiceDouble) {
        let queue = DispatchQueue(label: "nexconn.callbacks")
        let registry = HandlerRegistry(queue: .queue(queue))
        let engine = ChatEngine(assembly: .on(.doubled(double)), registry: registry)
        self.engine = engine
        // Handlers and completions run outside of the test's task, so they get this engine as the task-local value here.
        registry.surround { [weak engine] work in
            NCEngine.$scoped.withValue(engine ?? NCEngine.scoped, operation: work)
        }
        double.track(.queue(engine.work))
        double.track(CallbackQueue { [weak registry] work in if let registry { registry.run(work) } else { work() } })
    }

    /// Runs `body` with this engine as the one that ``NCEngine`` uses, also in tasks that `body` starts and in handlers and completions.
    package func run<Value>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
    ) async rethrows -> Value {
        try await NCEngine.$scoped.withValue(engine, operation: body, isolation: isolation)
    }

    /// Signs the user out and closes the local database.
    package func end() {
        engine.disconnect(disablePush: false)
        engine.work.sync {}
    }
}
