import NIOConcurrencyHelpers

/// Joins two things that come in either order: a commit is done, and the lock under which it was made is free.
///
/// A store may be done before `commit` returns; what follows must find no lock held.
final class CommitLatch: Sendable {
    private enum State {
        case open
        case done(Bool)
        case released(@Sendable (Bool) -> Void)
        case used
    }

    private let state = NIOLockedValueBox(State.open)

    /// The commit has ended; `isKept` tells whether it was stored.
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

    /// No lock is held any more: `body` may run, now or once the commit is done.
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
