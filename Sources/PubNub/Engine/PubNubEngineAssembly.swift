import EngineRuntime
import PubNubProtocol
import TransportCommon

/// Makes the parts of a client: for production, or scripted ones in tests.
struct PubNubEngineAssembly: Sendable {
    /// Makes the transport for calls.
    var makeCalls: @Sendable (ConfigurationValues) -> any CallTransport
    /// Makes the engine of the subscription.
    var makeEngine: @Sendable (ConfigurationValues, PubNubSettings) -> any SubscriptionEngine
    /// Observes the system's reports that the application goes to the background and comes back; nil when only the application reports
    /// it.
    var observeApplication: @Sendable (@escaping @Sendable (ApplicationMonitor.Place) -> Void) -> Observation? = { _ in nil }
}
