import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

/// What tests wait for: values from any thread, taken in order, each within a bounded time.
package final class Inbox<Value: Sendable>: Sendable {
    /// Nothing came in time; says which line of a test has waited.
    package struct TimedOut: Error, CustomStringConvertible {
        package let description: String

        package init(fileID: String = #fileID, line: Int = #line) {
            description = "The wait at \(fileID):\(line) got no \(Value.self) in time."
        }
    }

    private struct State {
        var values: [Value] = []
        var waiter: EventLoopPromise<Value>?
    }

    private let state = NIOLockedValueBox(State())

    package init() {}

    package func put(_ value: Value) {
        let waiter = state.withLockedValue { state -> EventLoopPromise<Value>? in
            defer { state.waiter = nil }
            if state.waiter == nil { state.values.append(value) }
            return state.waiter
        }
        waiter?.succeed(value)
    }

    /// The next value; throws when none comes in time.
    package func next(
        within limit: TimeAmount = .seconds(60), fileID: String = #fileID, line: Int = #line
    ) async throws -> Value {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let promise = loop.makePromise(of: Value.self)
        let timer = loop.scheduleTask(in: limit) { [state] in
            state.withLockedValue { $0.waiter = nil }
            promise.fail(TimedOut(fileID: fileID, line: line))
        }
        let ready = state.withLockedValue { state -> Value? in
            if !state.values.isEmpty { return state.values.removeFirst() }
            state.waiter = promise
            return nil
        }
        if let ready { promise.succeed(ready) }
        defer { timer.cancel() }
        return try await promise.futureResult.get()
    }

    /// The next value that fits; those before it are passed over.
    package func next(fileID: String = #fileID, line: Int = #line, _ fits: (Value) -> Bool) async throws -> Value {
        while true {
            let value = try await next(fileID: fileID, line: line)
            if fits(value) { return value }
        }
    }

    /// What is there right now.
    package var waiting: [Value] { state.withLockedValue { $0.values } }
}
