import NIOConcurrencyHelpers

/// State that several threads update and that a script waits for.
final class DemoBoard<State: Sendable>: Sendable {
    private struct Waiter: Sendable {
        let id: UInt64
        let test: @Sendable (State) -> Bool
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct Inside: Sendable {
        var state: State
        var waiters: [Waiter] = []
        var lastWaiter: UInt64 = 0
    }

    private let inside: NIOLockedValueBox<Inside>

    init(_ state: State) {
        inside = NIOLockedValueBox(Inside(state: state))
    }

    var now: State { inside.withLockedValue { $0.state } }

    /// Changes the state and resumes waiting callers whose condition is met.
    @discardableResult
    func change<Value>(_ body: (inout State) -> Value) -> Value {
        let (value, done) = inside.withLockedValue { inside -> (Value, [Waiter]) in
            let value = body(&inside.state)
            let state = inside.state
            let done = inside.waiters.filter { $0.test(state) }
            inside.waiters.removeAll { waiter in done.contains { $0.id == waiter.id } }
            return (value, done)
        }
        for waiter in done { waiter.continuation.resume(returning: true) }
        return value
    }

    /// Waits until the state meets a condition. Returns false if that takes longer than `limit`.
    func wait(atMost limit: Duration, _ test: @escaping @Sendable (State) -> Bool) async -> Bool {
        let id = inside.withLockedValue { inside in
            inside.lastWaiter += 1
            return inside.lastWaiter
        }
        let timeout = Task {
            do { try await Task.sleep(for: limit) } catch { return }
            self.giveUp(id)
        }
        defer { timeout.cancel() }
        return await withCheckedContinuation { continuation in
            let isTrue = inside.withLockedValue { inside in
                if test(inside.state) { return true }
                inside.waiters.append(Waiter(id: id, test: test, continuation: continuation))
                return false
            }
            if isTrue { continuation.resume(returning: true) }
        }
    }

    private func giveUp(_ id: UInt64) {
        let waiter = inside.withLockedValue { inside -> Waiter? in
            guard let index = inside.waiters.firstIndex(where: { $0.id == id }) else { return nil }
            return inside.waiters.remove(at: index)
        }
        waiter?.continuation.resume(returning: false)
    }
}
