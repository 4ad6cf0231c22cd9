import ConnectionEngine
import EngineRuntime
import Identifiers
import PubNubProtocol

/// The engine's report about a subscription; all are in one order.
enum SubscriptionNotice: Sendable {
    indirect case change(ConnectionChange)
    case event(PubNubSessionEvent)
    /// The machine lost its network or has one again. Reported on a thread of its own.
    case network(NetworkStatus)
    /// This number of events was dropped here, because the consumer was too slow.
    case dropped(Int)
}

/// The engine of a client's subscription. Tests replace it by a script.
///
/// Any thread may call any method; none blocks. Releasing it ends everything.
protocol SubscriptionEngine: AnyObject, Sendable {
    /// Performs a command whose answer is not used.
    func perform(_ command: PubNubCommand)
    /// Gives a command and calls `completion` once it was answered, or can never be.
    func perform(_ command: PubNubCommand, completion: @escaping @Sendable () -> Void)
    /// Wants to be connected; while the next attempt waits, it comes at once.
    func connect()
    /// Stops automatic retries.
    func cancelRetry()
    /// Ends the subscription without a word to the service.
    func abandon()
    /// The application went to the background or came back.
    func moved(to place: ApplicationMonitor.Place)
    /// The position of the subscription.
    var cursor: PubNubCursor { get }
    /// The user's presence state by channel or group, as JSON text.
    var states: [Identifier: String] { get }
    /// Calls `body` with everything from now on, on the engine's own thread.
    func observe(_ body: @escaping @Sendable ([SubscriptionNotice]) -> Void) -> Observation
}
