import ConnectionEngine
import EngineRuntime

/// Replaces a service in tests, together with the sockets, the HTTP requests, the time and the randomness of its clients.
///
/// In tests, ``ClientParts`` uses it instead of the live parts. `LifelineTesting` has the implementation.
package protocol ServiceDouble: AnyObject, HTTPStarting {
    /// The manual clock of the test, with its timers.
    var timers: any TimerScheduler { get }
    /// The time of day on the manual clock, in seconds since 1970.
    var unixSeconds: Int { get }

    /// Returns the seed for the next client's jitter. The sequence of seeds is the same in every run.
    func nextSeed() -> UInt64

    /// Makes a transport that connects a session to the test service through a simulated WebSocket.
    func webSocket<Session: WebSocketSession>(
        decoder: @escaping @Sendable () -> Session.Decoder
    ) -> any ClientTransport<Session>

    /// Makes a transport that connects a session to the test service through simulated HTTP requests; nothing is sent over the network.
    func longPoll<Session: LongPollSession>(
        decoder: @escaping @Sendable () -> Session.Decoder
    ) -> any ClientTransport<Session>

    /// Calls `report` with every change of the network from now on.
    ///
    /// - Returns: a closure that ends the observation.
    func observeNetwork(_ report: @escaping @Sendable (NetworkStatus) -> Void) -> @Sendable () -> Void

    /// Starts a task of a client that is independent of its connection, and records when it has ended, so that tests can wait for it.
    func start(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never>

    /// Registers a client, so that tests can wait for its work.
    ///
    /// - Parameter whenIdle: calls its argument once no thread works for the client any more. Returns false when the client has been
    ///   released.
    func track(whenIdle: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool)

    /// Registers a queue on which a client calls its callbacks, so that tests can wait for them.
    func track(_ queue: CallbackQueue)

    /// Records which loops over a client's sequences are processing an element.
    var consumers: any ConsumerTracker { get }
}

extension ServiceDouble {
    /// Registers a connection driver, so that tests can wait for its work. Does not keep the driver alive.
    package func track<Session>(_ driver: ConnectionDriver<Session>) {
        track { [weak driver] body in
            guard let driver else { return false }
            driver.whenIdle(body)
            return true
        }
    }
}
