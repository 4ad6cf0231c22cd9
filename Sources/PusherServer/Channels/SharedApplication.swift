import ServerRuntime
import ServerStorage

/// An application that many connections share, so that each of them holds a reference instead of a copy.
final class SharedApplication: Sendable {
    let value: Application
    /// The slot under which metrics count the application.
    let slot: MetricSlot

    init(_ value: Application, slot: MetricSlot) {
        self.value = value
        self.slot = slot
    }
}
