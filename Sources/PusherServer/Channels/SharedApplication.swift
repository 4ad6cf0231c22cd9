import RealtimeHub
import ServerRuntime

/// An application that many connections refer to, so that each holds a pointer and not a copy.
final class SharedApplication: Sendable {
    let value: Application
    /// The slot under which metrics count the application.
    let slot: MetricSlot

    init(_ value: Application, slot: MetricSlot) {
        self.value = value
        self.slot = slot
    }
}
