/// The time limits of a connection. The profiles ``standard`` and ``fast`` differ only in these values.
public struct ConnectionTiming: Hashable, Sendable {
    /// The time limit for connecting, from opening the transport to the service's confirmation: name lookup, TCP, TLS, upgrade and
    /// handshake together.
    public var open: Duration
    /// How long nothing may be received before the connection is probed. A service may request a shorter time, but not a longer one.
    public var activity: Duration
    /// How long the answer to a probe, such as a ping, may take.
    public var probe: Duration
    /// How long a connection has to stay up before the count of failures is reset, so that the next failure is followed by the shortest
    /// pause.
    public var stable: Duration
    /// How long the peer has to answer the close handshake.
    public var close: Duration
    /// The time limit for the service's answer to a request, such as a subscription or an authorisation.
    public var request: Duration
    /// The time limit for one message or one answer, from its first byte to its last.
    public var message: Duration
    /// How long a poll may wait without a received byte before the client sends the poll again on a new connection; zero for no limit.
    public var renewal: Duration
    /// The time within which the operating system has to detect a dead TCP connection, even when the service allows a longer silence.
    public var socket: Duration

    public init(
        open: Duration, activity: Duration, probe: Duration, stable: Duration, close: Duration, request: Duration,
        message: Duration = .seconds(30), renewal: Duration = .seconds(60), socket: Duration = .seconds(25)
    ) {
        self.open = open
        self.activity = activity
        self.probe = probe
        self.stable = stable
        self.close = close
        self.request = request
        self.message = message
        self.renewal = renewal
        self.socket = socket
    }

    /// The time limits for production: connect 10 s, silence before a ping 20 s, pong 5 s, stable after 10 s, one message 30 s, a silent
    /// poll 60 s.
    public static let standard = ConnectionTiming(
        open: .seconds(10), activity: .seconds(20), probe: .seconds(5), stable: .seconds(10), close: .seconds(2),
        request: .seconds(10), message: .seconds(30), renewal: .seconds(60))

    /// The time limits for tests: connect 3 s, silence before a ping 2 s, pong 1 s, stable after 1 s, one message 5 s, a silent poll 6 s.
    public static let fast = ConnectionTiming(
        open: .seconds(3), activity: .seconds(2), probe: .seconds(1), stable: .seconds(1), close: .seconds(1),
        request: .seconds(2), message: .seconds(5), renewal: .seconds(6))
}
