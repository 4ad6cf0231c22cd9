import EngineRuntime
import PubNubProtocol
import TransportCommon

/// The factories of a client's parts: with real sockets for production, or scripted in tests.
struct PubNubEngineAssembly: Sendable {
    /// Makes the transport for the requests of calls.
    var makeCalls: @Sendable (ConfigurationValues) -> any CallTransport
    /// Makes the engine of the subscription.
    var makeEngine: @Sendable (ConfigurationValues, PubNubSettings) -> any SubscriptionEngine
    /// Observes the system's reports that the application goes to the background or comes back; nil when only the application itself
    /// reports this.
    var observeApplication: @Sendable (@escaping @Sendable (ApplicationMonitor.Place) -> Void) -> Observation? = { _ in nil }
}
