import ConnectionEngine
import EngineRuntime
import Identifiers
import PubNubProtocol

/// The engine's reports about a subscription, in one order.
enum SubscriptionNotice: Sendable {
    indirect case change(ConnectionChange)
    case event(PubNubSessionEvent)
    /// The machine lost its network or has one again. Reported on a separate thread.
    case network(NetworkStatus)
    /// This number of events was dropped here, because the consumer was too slow.
    case dropped(Int)
}

/// Passes the last position of a subscription that was given up.
typealias AbandonedPosition = (_ then: @escaping @Sendable (PubNubCursor) -> Void) -> Void

/// The engine of a client's subscription. Tests replace it by a scripted engine.
///
/// Any thread may call any method; none blocks. Releasing it ends the connection and all timers.
protocol SubscriptionEngine: AnyObject, Sendable {
    /// Performs a command whose answer is not used.
    func perform(_ command: PubNubCommand)
    /// Performs a command and calls `completion` once it was answered or can no longer be answered.
    func perform(_ command: PubNubCommand, completion: @escaping @Sendable () -> Void)
    /// Requests a connection; a waiting attempt is made at once.
    func connect()
    /// Stops automatic retries.
    func cancelRetry()
    /// Ends the subscription without notifying the service.
    ///
    /// - Returns: what waits until everything that was received has been told, and passes the position behind it. To be called once, and
    ///   outside of locks.
    func abandon() -> AbandonedPosition
    /// The application went to the background or came back.
    func moved(to place: ApplicationMonitor.Place)
    /// The position of the subscription.
    var cursor: PubNubCursor { get }
    /// The user's presence state by channel or group, as JSON text.
    var states: [Identifier: String] { get }
    /// Calls `body` with all notices from now on, on the engine's own thread.
    func observe(_ body: @escaping @Sendable ([SubscriptionNotice]) -> Void) -> Observation
}
