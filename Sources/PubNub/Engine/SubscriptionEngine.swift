import ConnectionEngine
import EngineRuntime
import Identifiers
import PubNubProtocol

/// A report of the engine about a subscription. All reports come in one order.
enum SubscriptionNotice: Sendable {
    indirect case change(ConnectionChange)
    case event(PubNubSessionEvent)
    /// The machine lost its network, or has a network again. Reported on the thread that observes the network.
    case network(NetworkStatus)
    /// The engine dropped this number of events at this position, because the consumer was too slow.
    case dropped(Int)
}

/// Calls `then` with the last position of an abandoned subscription, after all events of this subscription were delivered.
typealias AbandonedPosition = (_ then: @escaping @Sendable (PubNubCursor) -> Void) -> Void

/// The engine of a client's subscription. Tests replace it by a scripted engine.
///
/// Any thread may call any method; no method blocks. Releasing the engine ends the connection and all timers.
protocol SubscriptionEngine: AnyObject, Sendable {
    /// Performs a command without waiting for its answer.
    func perform(_ command: PubNubCommand)
    /// Performs a command. `completion` is called when the command was answered, or when it can no longer be answered.
    func perform(_ command: PubNubCommand, completion: @escaping @Sendable () -> Void)
    /// Requests a connection. If the engine waits before its next attempt to connect, this attempt is made at once.
    func connect()
    /// Stops automatic retries.
    func cancelRetry()
    /// Ends the subscription without notifying the service.
    ///
    /// - Returns: a closure that waits until all received events were delivered, and passes the position after them. Call it once, outside
    ///   of locks.
    func abandon() -> AbandonedPosition
    /// Reports that the application went to the background or came back to the foreground.
    func moved(to place: ApplicationMonitor.Place)
    /// The position of the subscription.
    var cursor: PubNubCursor { get }
    /// The user's presence state by channel or group, as JSON text.
    var states: [Identifier: String] { get }
    /// Calls `body` with all reports from now on, on the engine's own thread.
    func observe(_ body: @escaping @Sendable ([SubscriptionNotice]) -> Void) -> Observation
}
