import NIOConcurrencyHelpers
import RealtimeHub
import ServerRuntime

/// An application that many connections refer to, so that each holds a pointer and not a copy.
final class SharedApplication: Sendable {
    let value: Application
    /// Where the application is counted.
    let slot: MetricSlot
    /// Who is signed in. The same for all that an application has ever been, since its users stay when its settings change.
    let users: NIOLockedValueBox<UserBook>

    init(_ value: Application, slot: MetricSlot, users: NIOLockedValueBox<UserBook>) {
        self.value = value
        self.slot = slot
        self.users = users
    }
}
