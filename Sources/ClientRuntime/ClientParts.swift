import ConnectionEngine
import EngineRuntime
import HTTPTransport
import NIOPosix
import TransportCommon
import WebSocketTransport

/// The parts from which a client is made: this machine's sockets, event loops, clock and network, or one test double that replaces all of
/// them.
package enum ClientParts: Sendable {
    /// Real sockets and timers, on the event loops that all clients of the process share.
    case live
    /// No sockets: a test double simulates the service, the network and the clock.
    case doubled(any ServiceDouble)

    package init(_ double: (any ServiceDouble)?) {
        self = double.map { .doubled($0) } ?? .live
    }

    // MARK: Connections

    /// Makes the transport for a session over a WebSocket.
    package func webSocket<Session: WebSocketSession>(
        _ configuration: @autoclosure () -> WebSocketTransportConfiguration,
        decoder: @escaping @Sendable () -> Session.Decoder
    ) -> any ClientTransport<Session> {
        switch self {
        case .live: WebSocketTransport<Session>(decoder: decoder, configuration: configuration())
        case .doubled(let double): double.webSocket(decoder: decoder)
        }
    }

    /// Makes the transport for a session over HTTP long polling.
    package func longPoll<Session: LongPollSession>(
        _ configuration: @autoclosure () -> LongPollTransportConfiguration, decoder: @escaping @Sendable () -> Session.Decoder
    ) -> any ClientTransport<Session> {
        switch self {
        case .live: LongPollTransport<Session>(decoder: decoder, configuration: configuration())
        case .doubled(let double): double.longPoll(decoder: decoder)
        }
    }

    /// Returns the object that makes a client's single HTTP requests, which do not use the connection.
    package func http(_ caller: @autoclosure () -> HTTPCaller) -> any HTTPStarting {
        switch self {
        case .live: caller()
        case .doubled(let double): double
        }
    }

    /// Makes a connection driver in phase `idle`, which uses the timers of these parts.
    ///
    /// - Parameters:
    ///   - seed: the seed of the driver's jitter; nil for the next seed of these parts.
    ///   - preventsAppNap: whether the connection prevents App Nap. Ignored with a test double.
    package func driver<Session: ProtocolSession>(
        _ transport: any ClientTransport<Session>, jobs: any JobRunner<Session>, policy: ConnectionPolicy,
        memory: Session.Memory, seed: UInt64? = nil, backlog: Int = 16_384,
        isDroppable: @escaping @Sendable (Session.Event) -> Bool = { _ in false }, preventsAppNap: Bool
    ) -> ConnectionDriver<Session> {
        let driver = ConnectionDriver(
            transport: transport, jobs: jobs, timers: makeTimers(), policy: policy, memory: memory, seed: seed ?? nextSeed(),
            backlog: backlog, isDroppable: isDroppable, observer: observer(preventsAppNap: preventsAppNap))
        track(driver)
        return driver
    }

    /// Reports the activity of a connection to the operating system; nil with a test double, and when App Nap is not prevented.
    private func observer(preventsAppNap: Bool) -> (any EngineObserver)? {
        switch self {
        case .live: ActivityObserver(preventsAppNap)
        case .doubled: nil
        }
    }

    // MARK: Time, randomness and tasks

    /// A clock with timers: the clock of an event loop, or the manual clock of the test double.
    package func makeTimers() -> any TimerScheduler {
        switch self {
        case .live: EventLoopTimers(MultiThreadedEventLoopGroup.singleton.next())
        case .doubled(let double): double.timers
        }
    }

    /// The time of day in seconds since 1970.
    package var unixSeconds: @Sendable () -> Int {
        switch self {
        case .live: SystemTime.unixSeconds
        case .doubled(let double): { double.unixSeconds }
        }
    }

    /// Returns the seed for the next client's jitter: a random number, or the next one of the test double's fixed sequence.
    package func nextSeed() -> UInt64 {
        switch self {
        case .live: .random(in: .min ... .max)
        case .doubled(let double): double.nextSeed()
        }
    }

    /// Starts tasks of a client that are independent of its connection. A test double also records when they have ended.
    package var tasks: TaskStarter {
        switch self {
        case .live: .plain
        case .doubled(let double): .on(double)
        }
    }

    /// Records which `for await` loops over a client's sequences are processing an element; nil without a test double.
    package var consumers: (any ConsumerTracker)? {
        switch self {
        case .live: nil
        case .doubled(let double): double.consumers
        }
    }

    // MARK: Observing the network and the application

    /// Calls `report` with every change of the network path to a host, until the observation is released.
    ///
    /// - Returns: nil for a host that changes of the network do not affect, which is this machine itself.
    package func observeNetwork(
        of host: String, _ report: @escaping @Sendable (NetworkStatus) -> Void
    ) -> NetworkObservation? {
        switch self {
        case .live: NetworkMonitor.shared.observe(forHost: host, report)
        case .doubled(let double): NetworkObservation(double.observeNetwork(report))
        }
    }

    /// Reports whether the application is in the background; nil with a test double, where only the application itself reports it.
    package var application: ApplicationMonitor? {
        switch self {
        case .live: .shared
        case .doubled: nil
        }
    }

    // MARK: Registering a client's work with a test double

    /// Registers a connection driver with the test double, so that a test can wait for the driver's work. Does not keep the driver alive.
    package func track<Session>(_ driver: ConnectionDriver<Session>) {
        if case .doubled(let double) = self { double.track(driver) }
    }

    /// Registers a callback queue of a client with the test double, so that a test can wait for the callbacks.
    package func track(_ queue: CallbackQueue) {
        if case .doubled(let double) = self { double.track(queue) }
    }
}
