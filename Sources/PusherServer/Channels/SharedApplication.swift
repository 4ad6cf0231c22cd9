import ServerRuntime
import ServerStorage

/// One object for each application's configuration, to which all connections of the application refer instead of having a copy.
final class SharedApplication: Sendable {
    let value: Application
    /// The number under which metrics count the application.
    let slot: MetricSlot

    init(_ value: Application, slot: MetricSlot) {
        self.value = value
        self.slot = slot
    }
}
