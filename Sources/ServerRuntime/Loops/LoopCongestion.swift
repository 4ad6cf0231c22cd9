import NIOConcurrencyHelpers
import ServerValues

/// The event loops whose queues are full, and the callbacks that wait for room in them (rules SV-14 and SV-15).
///
/// The set changes only when an event loop becomes full or has room again, so queuing an operation takes no further lock. May be used from
/// any thread.
package final class LoopCongestion: Sendable {
    package typealias Call = @Sendable () -> Void

    private struct State {
        var full = EventLoopSet()
        /// Callbacks of event loops that have delayed operations, by event loop id. Each is called once, when a queue for which it waits
        /// has room.
        var loops: [Int: Call] = [:]
        /// Callbacks of callers that are not event loops, by the number that ``wait(_:)`` has returned.
        var others: [UInt64: Call] = [:]
        var lastNumber: UInt64 = 0
        /// The ids of event loops that no longer exist.
        var ended = EventLoopSet()
    }

    private let state = NIOLockedValueBox(State())

    package init() {}

    /// The event loops whose queues are full.
    package var full: EventLoopSet { state.withLockedValue(\.full) }

    /// Marks an event loop's queue as full. Call it under the lock of that queue, so that the mark cannot remain after the queue has room.
    package func fill(_ eventLoopID: Int) {
        state.withLockedValue { state in
            if !state.ended.contains(eventLoopID) { state.full.insert(eventLoopID) }
        }
    }

    /// Marks that an event loop's queue has room again. Call it under the lock of that queue. The caller has to call the returned callbacks
    /// after releasing that lock.
    package func clear(_ eventLoopID: Int) -> [Call] {
        state.withLockedValue { state in
            state.full.remove(eventLoopID)
            return Self.takeCalls(&state)
        }
    }

    /// Calls `tell` once when one of `loops` has room again; `tell` wakes the event loop with the id `eventLoopID`.
    ///
    /// - Returns: false when none of `loops` is full any more; `tell` is not called then.
    package func wait(for loops: EventLoopSet, on eventLoopID: Int, _ tell: @escaping Call) -> Bool {
        state.withLockedValue { state in
            guard !state.full.isDisjoint(with: loops) else { return false }
            state.loops[eventLoopID] = tell
            return true
        }
    }

    /// Calls `tell` once when one of the event loops that are full now has room again. For callers that do not run on an event loop.
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

    /// Ends a wait early by calling its callback now, unless it has been called already.
    package func giveUp(_ number: UInt64) {
        state.withLockedValue { $0.others.removeValue(forKey: number) }?()
    }

    /// Adds event loops with these ids, which exist from now on.
    package func begin(_ eventLoopIDs: EventLoopSet) {
        state.withLockedValue { state in
            for eventLoopID in eventLoopIDs { state.ended.remove(eventLoopID) }
        }
    }

    /// Removes event loops that are about to end, which also ends all waits for them. A waiter that also waits for other event loops is
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
