import NIOConcurrencyHelpers

/// Runs a closure once two events have happened, in either order: the end of a commit, and the release of the lock under which the commit
/// was made.
///
/// A store may end a commit before `commit` returns, and the closure must not run while a lock is held.
final class CommitLatch: Sendable {
    private enum State {
        case open
        case done(Bool)
        case released(@Sendable (Bool) -> Void)
        case used
    }

    private let state = NIOLockedValueBox(State.open)

    /// Records that the commit has ended; `isKept` is whether it was stored.
    func complete(_ isKept: Bool) {
        let body: (@Sendable (Bool) -> Void)? = state.withLockedValue { state in
            switch state {
            case .open: state = .done(isKept)
            case .released(let body):
                state = .used
                return body
            case .done, .used: break
            }
            return nil
        }
        body?(isKept)
    }

    /// Records that the lock is released. `body` runs now if the commit has ended, and otherwise when it ends.
    func release(_ body: @escaping @Sendable (Bool) -> Void) {
        let isKept: Bool? = state.withLockedValue { state in
            guard case .done(let isKept) = state else {
                if case .open = state { state = .released(body) }
                return nil
            }
            state = .used
            return isKept
        }
        if let isKept { body(isKept) }
    }
}
