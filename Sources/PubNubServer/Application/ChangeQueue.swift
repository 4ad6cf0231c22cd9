import DequeModule
import Identifiers
import NIOConcurrencyHelpers

/// Makes the changes of one value one after the other, in the order in which they were asked for, so that the next one is decided once
/// the store has the last one or has failed.
final class ChangeQueue: Sendable {
    /// Begins a change. It calls its argument exactly once, at its end, on any thread, also before it returns.
    typealias Change = @Sendable (_ end: @escaping @Sendable () -> Void) -> Void

    /// Too many changes wait for the store.
    struct Full: Error {}

    private struct State: Sendable {
        var waiting = Deque<(owner: Identifier?, change: Change)>()
        /// How many changes of each owner wait.
        var perOwner: [Identifier: Int] = [:]
        /// Whether a change is being made.
        var isBusy = false
    }

    /// How many changes may wait.
    static let capacity = 1000

    private let limit: Int
    /// How many changes of one owner may wait.
    private let share: Int
    private let state = NIOLockedValueBox(State())

    init(limit: Int = ChangeQueue.capacity) {
        self.limit = limit
        share = max(1, limit / 4)
    }

    /// Makes a change once all changes before have ended: in this call if there are none.
    ///
    /// - Parameter owner: who may have a quarter of the changes that wait (rule PV-180); nil for nobody's.
    /// - Returns: false when too many wait, and this one will not be made.
    func add(for owner: Identifier? = nil, _ change: @escaping Change) -> Bool {
        let begins: Bool? = state.withLockedValue { state in
            guard state.waiting.count < limit else { return nil }
            if let owner {
                let count = state.perOwner[owner] ?? 0
                guard count < share else { return nil }
                state.perOwner[owner] = count + 1
            }
            state.waiting.append((owner, change))
            defer { state.isBusy = true }
            return !state.isBusy
        }
        if begins == true { work() }
        return begins != nil
    }

    /// Makes a change, and returns when it has ended.
    ///
    /// - Throws: what `change` throws, and ``Full``.
    func run<Result: Sendable>(
        for owner: Identifier? = nil, _ change: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            let isAccepted = add(for: owner) { end in
                Task {
                    do {
                        continuation.resume(returning: try await change())
                    } catch {
                        continuation.resume(throwing: error)
                    }
                    end()
                }
            }
            if !isAccepted { continuation.resume(throwing: Full()) }
        }
    }

    /// Makes changes until none waits or one does not end in its call.
    private func work() {
        while let change = next() {
            // A change ends in this call or later, on another thread: the second of the two continues.
            let isFirst = NIOLockedValueBox(true)
            let goesOn: @Sendable () -> Bool = {
                isFirst.withLockedValue { isFirst in
                    defer { isFirst = false }
                    return !isFirst
                }
            }
            change { if goesOn() { self.work() } }
            guard goesOn() else { return }
        }
    }

    private func next() -> Change? {
        state.withLockedValue { state in
            let next = state.waiting.popFirst()
            state.isBusy = next != nil
            if let owner = next?.owner, let count = state.perOwner.removeValue(forKey: owner), count > 1 {
                state.perOwner[owner] = count - 1
            }
            return next?.change
        }
    }
}
