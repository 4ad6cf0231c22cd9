import DequeModule
import Identifiers
import NIOConcurrencyHelpers

/// Runs asynchronous work on things with names, one after the other for each name, in the order of the calls.
package final class ExclusiveSections: Sendable {
    /// What waits for the work on a name that is under way.
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
