import NIOConcurrencyHelpers
import ServerValues

/// Which event loops have more waiting for them than they should, and who waits for that to end (rules SV-14 and SV-15).
///
/// Changes only when a loop becomes full or has room again, so what is queued costs no further lock. May be used from any thread.
package final class LoopCongestion: Sendable {
    package typealias Call = @Sendable () -> Void

    private struct State {
        var full = EventLoopSet()
        /// Loops with held operations, and how to notify them that there is room.
        var loops: [Int: Call] = [:]
        /// Others who wait, by the number of their wait.
        var others: [UInt64: Call] = [:]
        var lastNumber: UInt64 = 0
        /// Loops that no longer exist.
        var ended = EventLoopSet()
    }

    private let state = NIOLockedValueBox(State())

    package init() {}

    /// The loops that have no room now.
    package var full: EventLoopSet { state.withLockedValue(\.full) }

    /// Marks a loop as full. To be called under the lock of its queue, so that the mark cannot outlast the queue's fullness.
    package func fill(_ eventLoopID: Int) {
        state.withLockedValue { state in
            if !state.ended.contains(eventLoopID) { state.full.insert(eventLoopID) }
        }
    }

    /// A loop has room again; to be called under the lock of its queue. Returns the calls to make once that lock is released.
    package func clear(_ eventLoopID: Int) -> [Call] {
        state.withLockedValue { state in
            state.full.remove(eventLoopID)
            return Self.takeCalls(&state)
        }
    }

    /// Notifies a loop once when one of `loops` has room again.
    ///
    /// - Returns: false when none of `loops` is full any more; nobody is told then.
    package func wait(for loops: EventLoopSet, on eventLoopID: Int, _ tell: @escaping Call) -> Bool {
        state.withLockedValue { state in
            guard !state.full.isDisjoint(with: loops) else { return false }
            state.loops[eventLoopID] = tell
            return true
        }
    }

    /// As ``wait(for:on:_:)``, for whoever is not a loop and waits for all of them.
    ///
    /// - Returns: a number to give the wait up with; nil when no loop is full.
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

    /// There are loops with these numbers from now on.
    package func begin(_ eventLoopIDs: EventLoopSet) {
        state.withLockedValue { state in
            for eventLoopID in eventLoopIDs { state.ended.remove(eventLoopID) }
        }
    }

    /// Loops are about to end, so waits for them end. A waiter that also waits for other loops is notified, and may wait again.
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
