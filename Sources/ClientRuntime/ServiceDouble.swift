import ConnectionEngine
import EngineRuntime

/// Stands in for a service in tests: replaces the sockets, the HTTP requests, the time and the randomness of a client, all together.
///
/// ``ClientParts`` has one in place of its live parts. `LifelineTesting` has the implementation.
package protocol ServiceDouble: AnyObject, HTTPStarting {
    /// The manual clock and its timers.
    var timers: any TimerScheduler { get }
    /// The time of day on the manual clock, in seconds since 1970.
    var unixSeconds: Int { get }

    /// The seed of the next client's jitter. The same sequence in every run.
    func nextSeed() -> UInt64

    /// Carries a session over a simulated WebSocket.
    func webSocket<Session: WebSocketSession>(
        decoder: @escaping @Sendable () -> Session.Decoder
    ) -> any ClientTransport<Session>

    /// Carries a session over HTTP requests that are never made.
    func longPoll<Session: LongPollSession>(
        decoder: @escaping @Sendable () -> Session.Decoder
    ) -> any ClientTransport<Session>

    /// Calls `report` with every change of the network from now on.
    ///
    /// - Returns: ends the observation.
    func observeNetwork(_ report: @escaping @Sendable (NetworkStatus) -> Void) -> @Sendable () -> Void

    /// Starts side work of a client, and knows until when it runs.
    func start(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never>

    /// Learns how to wait for a client's own work.
    ///
    /// - Parameter whenIdle: calls its argument once no thread is at work for the client. Returns false when the client is gone.
    func track(whenIdle: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool)

    /// Learns of a queue on which a client calls back.
    func track(_ queue: CallbackQueue)

    /// Hears which loops over a client's sequences are at work.
    var consumers: any ConsumerTracker { get }
}

extension ServiceDouble {
    /// Learns of a driver. Does not keep it alive.
    package func track<Session>(_ driver: ConnectionDriver<Session>) {
        track { [weak driver] body in
            guard let driver else { return false }
            driver.whenIdle(body)
            return true
        }
    }
}
