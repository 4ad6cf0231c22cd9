import DequeModule
import Identifiers
import NIOConcurrencyHelpers

/// A queue of changes to one value, for example the groups of a keyset. Changes are performed in the order of the calls, and one at a time:
/// each change starts after the previous one has ended.
final class ChangeQueue: Sendable {
    /// A change. It calls `end` exactly once when it has ended, on any thread, possibly before it returns.
    typealias Change = @Sendable (_ end: @escaping @Sendable () -> Void) -> Void

    /// The error when too many changes wait: ``capacity`` changes, or as many changes of one owner as its share allows.
    struct Full: Error {}

    private struct State: Sendable {
        var waiting = Deque<(owner: Identifier?, change: Change)>()
        /// The number of waiting changes of each owner, which is a user or a client address.
        var perOwner: [Identifier: Int] = [:]
        /// Whether a change is in progress.
        var isBusy = false
    }

    /// How many changes may wait in one queue. A change beyond this number is refused with ``Full``.
    static let capacity = 1000

    private let limit: Int
    /// The largest number of waiting changes of one owner, which is a user or a client address.
    private let share: Int
    private let state = NIOLockedValueBox(State())

    init(limit: Int = ChangeQueue.capacity) {
        self.limit = limit
        share = max(1, limit / 4)
    }

    /// Performs a change after all earlier changes have ended. If no earlier change is in progress, the change is performed within this
    /// call.
    ///
    /// - Parameter owner: one owner may have a quarter of the waiting changes (rule PV-180); nil when the change counts for no owner.
    /// - Returns: false when too many changes wait; then this change is not performed.
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

    /// Performs a change, and returns when it has ended.
    ///
    /// - Throws: the errors of `change`, and ``Full``.
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

    /// Performs waiting changes one after the other. Returns when the queue is empty, or when a change goes on after the call that has
    /// started it; the end of this change then continues the work.
    private func work() {
        while let change = next() {
            // `goesOn` is called twice for each change, in either order: when the change ends, and when the call that has started the
            // change returns. Only the second one of these calls returns true, so the next change starts after both events.
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
