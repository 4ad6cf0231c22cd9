import NIOConcurrencyHelpers
import PubNubProtocol
import RealtimeHub

/// One keyset with all that it owns: streams, presence and groups under one lock, and the way to the store.
final class PubNubApplication: Sendable {
    let keyset: Keyset
    private let state = NIOLockedValueBox(State())

    /// What the lock guards.
    struct State: Sendable {
    }

    init(keyset: Keyset) {
        self.keyset = keyset
    }

    /// Changes what the lock guards. Nothing in `body` may wait or call out.
    func withState<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        try state.withLockedValue(body)
    }
}
