import ConnectionEngine
import EngineRuntime
import Identifiers
import PubNubProtocol

/// What the engine tells about a subscription, in one order.
enum SubscriptionNotice: Sendable {
    indirect case change(ConnectionChange)
    case event(PubNubSessionEvent)
    /// This machine has lost its way out to the service, or found one. Told on a thread of its own.
    case network(NetworkStatus)
    /// So many events were dropped here, because they were not taken in time.
    case dropped(Int)
}

/// The engine of a client's subscription. Tests replace it by a script.
///
/// Any thread may call any method; none blocks. Releasing it ends everything.
protocol SubscriptionEngine: AnyObject, Sendable {
    /// Gives a command whose answer nobody waits for.
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
    /// Where the subscription stands.
    var cursor: PubNubCursor { get }
    /// The user's presence state by channel or group, as JSON text.
    var states: [Identifier: String] { get }
    /// Calls `body` with everything from now on, on the engine's own thread.
    func observe(_ body: @escaping @Sendable ([SubscriptionNotice]) -> Void) -> Observation
}
