import Dispatch
import EngineRuntime
import Foundation
import NIOConcurrencyHelpers
import PubNubProtocol

/// A client of a PubNub service.
///
/// May be used from any thread; no method blocks. Listeners and completion handlers are called on one queue, by default the main queue, in
/// the order of the events. The client exists as long as it is referenced. Releasing the last reference ends its connections, and calls in
/// progress end as cancelled.
public final class PubNub: Sendable {
    /// The client's configuration, and the values that all its results share.
    let setup: NIOLockedValueBox<ClientSetup>
    /// The queue on which the client calls listeners and completion handlers.
    let queue: CallbackQueue
    let calls: CallRunner
    let engine: any SubscriptionEngine
    let cipher: PubNubCipher?
    let listeners = ListenerTable()
    /// A random id that distinguishes this client from others of the same user.
    let instanceID: String
    /// Queues events for listeners and sequences in one common order.
    let deliveries: Broadcaster<QueuedDelivery>
    /// Queues statuses alone, for ``PNStatuses``. An application that reads only statuses would otherwise take them from `deliveries`, and
    /// the messages queued there would stay in memory.
    let statusDeliveries: Broadcaster<QueuedDelivery>
    /// Deliveries to ``PNNetworkStatuses``.
    let networkDeliveries = Broadcaster<PNNetworkStatus>(
        backlog: 64, isDroppable: { _ in true }, dropped: { _ in PNNetworkStatus(.available) })
    /// Queues completion handlers in order with the events of `deliveries`.
    let line: CallbackLine

    let wanted = NIOLockedValueBox(WantedList())
    let script = NIOLockedValueBox(StatusScript())
    let filter = NIOLockedValueBox<String?>(nil)
    /// Whether the application is in the foreground or in the background.
    let place = NIOLockedValueBox(ApplicationMonitor.Place.foreground)
    /// Serialises changes that concern both the client's list of subscribed channels and groups and the engine.
    let commands = NIOLock()

    /// Records the client's work in the configuration's logger and metrics; nil when there is nothing to record.
    let telemetry: ClientTelemetry?

    /// The log of the client. It writes nothing unless ``PNLLogger/enabled`` is true.
    public let logger: PNLLogger

    private let assembly: PubNubEngineAssembly
    private let sequence = NIOLockedValueBox(0)
    private let observations = NIOLockedValueBox<[Observation]>([])

    init(_ values: ConfigurationValues, queue: CallbackQueue, assembly: PubNubEngineAssembly) {
        let instanceID = UUID().uuidString
        self.instanceID = instanceID
        self.queue = queue
        self.assembly = assembly
        values.double?.double.track(queue)
        setup = NIOLockedValueBox(ClientSetup(values))
        calls = CallRunner(transport: assembly.makeCalls(values))
        engine = assembly.makeEngine(values, values.settings(instanceID: instanceID))
        cipher = values.cipherKey.map {
            PubNubCipher(key: $0, usesRandomIV: values.usesRandomInitializationVector).reading(values.readingCipherKeys)
        }
        telemetry = ClientTelemetry(service: "pubnub", logger: values.logger.value, metrics: values.metrics.value)
        logger = PNLLogger(identifier: "com.pubnub.lifeline")
        deliveries = Broadcaster(
            backlog: Self.backlog, isDroppable: { $0.isDroppable }, dropped: { _ in .gap(PNGap()) })
        statusDeliveries = Broadcaster(backlog: Self.backlog, isDroppable: { _ in false }, dropped: { _ in .gap(PNGap()) })
        line = CallbackLine(queue: queue, deliveries: deliveries)
        let heard = engine.observe { [weak self] in self?.hear($0) }
        let delivered = deliveries.observe(on: queue) { [weak self] in self?.deliver($0) }
        let application =
            values.suspendsInBackground ? assembly.observeApplication { [weak self] in self?.moved(to: $0) } : nil
        observations.withLockedValue { $0 = [heard, delivered] + (application.map { [$0] } ?? []) }
    }

    deinit {
        deliveries.finish()
        statusDeliveries.finish()
        networkDeliveries.finish()
        // The completion handlers of the cancelled calls go to the callback queue directly, because this client no longer delivers events.
        line.close()
        calls.close()
    }

    /// The maximum number of the service's answers that may wait for slow callbacks. When more wait, messages of further answers are
    /// dropped and a gap is reported (rule PK-31).
    private static let backlog = 4096

    /// Makes a client whose callbacks run on the main queue. On Linux the main queue runs only while the main thread runs `dispatchMain()`
    /// or a run loop.
    public static func clientWithConfiguration(_ configuration: PNConfiguration) -> PubNub {
        clientWithConfiguration(configuration, callbackQueue: nil)
    }

    /// Makes a client with a configuration and a callback queue.
    ///
    /// - Parameters:
    ///   - configuration: the client's configuration, which is copied.
    ///   - callbackQueue: the serial queue on which callbacks run; nil for the main queue.
    public static func clientWithConfiguration(_ configuration: PNConfiguration, callbackQueue: DispatchQueue?) -> PubNub {
        PubNub(
            configuration.values, queue: callbackQueue.map { .queue($0) } ?? .main, assembly: .chosen(by: configuration.values))
    }

    /// The version of this library and of the Cocoa SDK whose API it implements.
    public static func information() -> PNClientInformation { PNClientInformation() }

    /// A copy of the present configuration. Changing it has no effect on the client.
    public func currentConfiguration() -> PNConfiguration { PNConfiguration(configuration) }

    /// The user id with which the client makes its requests.
    public func uuid() -> String { configuration.uuid }

    /// Adds a listener for the client's events. The client holds the listener weakly. Adding the same listener again changes nothing. May
    /// be called from any thread, also from inside a callback.
    public func addListener(_ listener: any PNEventsListener) {
        listeners.add(listener)
    }

    /// Removes a listener that ``addListener(_:)`` has added. A callback of this listener that is already running finishes.
    public func removeListener(_ listener: any PNEventsListener) {
        listeners.remove(listener)
    }

    /// The number of the next message that this client publishes; the first is 1.
    func nextSequenceNumber() -> Int {
        sequence.withLockedValue { number in
            number = number >= Int(Int32.max) ? 1 : number + 1
            return number
        }
    }

    /// Makes a client with the same transport factories but another configuration, in the same state of foreground or background.
    func sibling(_ values: ConfigurationValues, queue: CallbackQueue) -> PubNub {
        let sibling = PubNub(values, queue: queue, assembly: assembly)
        if place.withLockedValue({ $0 }) == .background { sibling.moved(to: .background) }
        return sibling
    }
}

/// A client's configuration, and the values that all its results share.
struct ClientSetup: Sendable {
    var values: ConfigurationValues {
        didSet { context = values.resultContext }
    }
    private(set) var context: ResultContext

    init(_ values: ConfigurationValues) {
        self.values = values
        context = values.resultContext
    }
}

extension PubNub {
    /// The present configuration.
    var configuration: ConfigurationValues { setup.withLockedValue { $0.values } }

    /// The values that all results share, as the present configuration defines them.
    var resultContext: ResultContext { setup.withLockedValue { $0.context } }
}
