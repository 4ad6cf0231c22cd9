import ConnectionEngine

/// Stands in for a service in tests: replaces the sockets, the HTTP requests, the time and the randomness of a client, all together.
///
/// Client modules take one in place of their live parts. `LifelineTesting` has the implementation.
package protocol ServiceDouble: AnyObject, Sendable {
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

    /// Answers an HTTP request. `completion` is called once, on any thread; never after a cancellation.
    func send(
        _ request: DoubleRequest, completion: @escaping @Sendable (Result<DoubleAnswer, ConnectionFailure>) -> Void
    ) -> JobCancellation

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

/// An HTTP request to a ``ServiceDouble``.
package struct DoubleRequest: Sendable {
    package var method: String
    /// An absolute URL, percent-encoded.
    package var url: String
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]
    /// On the manual clock.
    package var timeout: Duration

    package init(method: String, url: String, headers: [(name: String, value: String)], body: [UInt8], timeout: Duration) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
    }
}

/// The answer of a ``ServiceDouble``.
package struct DoubleAnswer: Sendable {
    package var status: Int
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]

    package init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// Hears which loops over a sequence are at work with what they were given.
package protocol ConsumerTracker: AnyObject, Sendable {
    /// The consumer waits for elements, so it is done with what it had.
    ///
    /// - Parameter task: tells the consumer's task from others; nil when it is not known.
    func waits(_ consumer: ObjectIdentifier, task: Int?)
    /// The consumer is given elements.
    func began(_ consumer: ObjectIdentifier, task: Int?)
    /// A loop of the consumer is over.
    func ended(_ consumer: ObjectIdentifier)
}
