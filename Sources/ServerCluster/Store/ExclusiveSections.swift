import DequeModule
import Identifiers
import NIOConcurrencyHelpers

/// Runs asynchronous work under names: for each name one piece of work at a time, in the order of the calls.
package final class ExclusiveSections: Sendable {
    /// For each name with work in progress, the calls that wait for its end.
    private let waiting = NIOLockedValueBox<[Identifier: Deque<CheckedContinuation<Void, Never>>]>([:])

    package init() {}

    package func run<Value: Sendable>(_ name: Identifier, _ body: () async throws -> Value) async throws -> Value {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isFree = waiting.withLockedValue { waiting in
                guard waiting[name] != nil else {
                    waiting[name] = []
                    return true
                }
                waiting[name]?.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
        defer { next(name)?.resume() }
        return try await body()
    }

    private func next(_ name: Identifier) -> CheckedContinuation<Void, Never>? {
        waiting.withLockedValue { waiting in
            let next = waiting[name]?.popFirst()
            if next == nil { waiting[name] = nil }
            return next
        }
    }
}
