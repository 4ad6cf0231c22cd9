import ClientRuntime
import Dispatch
import EngineRuntime

/// An engine behind ``NCEngine`` without sockets: a test double replaces the server and provides the clock.
package final class DoubledEngine: Sendable {
    private let engine: ChatEngine

    /// An engine that is not initialised yet.
    package init(on double: any ServiceDouble) {
        let queue = DispatchQueue(label: "nexconn.callbacks")
        let registry = HandlerRegistry(queue: .queue(queue))
        let engine = ChatEngine(assembly: .on(.doubled(double)), registry: registry)
        self.engine = engine
        // Handlers and completions run outside of the task that has this engine, but must use it as well.
        registry.surround { [weak engine] work in
            NCEngine.$scoped.withValue(engine ?? NCEngine.scoped, operation: work)
        }
        double.track(.queue(engine.work))
        double.track(CallbackQueue { [weak registry] work in if let registry { registry.run(work) } else { work() } })
    }

    /// Runs code whose ``NCEngine`` is this engine, also in tasks that it starts and in handlers and completions.
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
