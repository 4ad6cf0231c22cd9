import NIOConcurrencyHelpers
import ServerValues

/// The event loops whose queues are full, and the callbacks that wait for room (rules SV-14 and SV-15).
///
/// It changes only when an event loop becomes full or has room again, so queuing an operation takes no further lock. May be used
/// from any thread.
package final class LoopCongestion: Sendable {
    package typealias Call = @Sendable () -> Void

    private struct State {
        var full = EventLoopSet()
        /// Callbacks that notify event loops with delayed operations that there is room.
        var loops: [Int: Call] = [:]
        /// Callbacks of other waiting callers, by the number of their wait.
        var others: [UInt64: Call] = [:]
        var lastNumber: UInt64 = 0
        /// Event loops that no longer exist.
        var ended = EventLoopSet()
    }

    private let state = NIOLockedValueBox(State())

    package init() {}

    /// The event loops whose queues are full.
    package var full: EventLoopSet { state.withLockedValue(\.full) }

    /// Marks an event loop as full. Call it under the lock of its queue, so that the mark cannot outlast the full state.
    package func fill(_ eventLoopID: Int) {
        state.withLockedValue { state in
            if !state.ended.contains(eventLoopID) { state.full.insert(eventLoopID) }
        }
    }

    /// Marks that an event loop has room again. Call it under the lock of its queue. Returns the callbacks to call once that lock
    /// is released.
    package func clear(_ eventLoopID: Int) -> [Call] {
        state.withLockedValue { state in
            state.full.remove(eventLoopID)
            return Self.takeCalls(&state)
        }
    }

    /// Notifies an event loop once when one of `loops` has room again.
    ///
    /// - Returns: false when none of `loops` is full any more; no notification follows then.
    package func wait(for loops: EventLoopSet, on eventLoopID: Int, _ tell: @escaping Call) -> Bool {
        state.withLockedValue { state in
            guard !state.full.isDisjoint(with: loops) else { return false }
            state.loops[eventLoopID] = tell
            return true
        }
    }

    /// The same as ``wait(for:on:_:)``, for a caller that is not an event loop and waits for all of them.
    ///
    /// - Returns: a number for cancelling the wait; nil when no event loop is full.
    package func wait(_ tell: @escaping Call) -> UInt64? {
        state.withLockedValue { state in
            guard !state.full.isEmpty else { return nil }
            state.lastNumber += 1
            state.others[state.lastNumber] = tell
            return state.lastNumber
        }
    }

    /// Cancels a wait. Nothing is called if the notification was sent already.
    package func giveUp(_ number: UInt64) {
        state.withLockedValue { $0.others.removeValue(forKey: number) }?()
    }

    /// Adds event loops with these numbers.
    package func begin(_ eventLoopIDs: EventLoopSet) {
        state.withLockedValue { state in
            for eventLoopID in eventLoopIDs { state.ended.remove(eventLoopID) }
        }
    }

    /// Removes event loops that are about to end, which ends waits for them. A waiter that also waits for other event loops is
    /// notified, and may wait again.
    package func end(_ eventLoopIDs: EventLoopSet) {
        let calls = state.withLockedValue { state in
            state.ended.formUnion(eventLoopIDs)
            for eventLoopID in eventLoopIDs { state.full.remove(eventLoopID) }
            return Self.takeCalls(&state)
        }
        for call in calls { call() }
    }

    private static func takeCalls(_ state: inout State) -> [Call] {
        let calls = Array(state.loops.values) + state.others.sorted { $0.key < $1.key }.map(\.value)
        state.loops = [:]
        state.others = [:]
        return calls
    }
}
