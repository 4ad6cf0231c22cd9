/// How soon a client detects a dead connection. Earlier detection costs more traffic on an idle connection. Rule LV-18.
///
/// | | pings after silence of | dead after silence of | pings an hour | PubNub's requests an hour |
/// |---|---|---|---|---|
/// | ``prompt`` | 8 s | 12 s | 450 | 590 |
/// | ``balanced`` | 20 s | 25 s | 180 | 240 |
/// | ``frugal`` | 120 s | 150 s | 30 | 12 |
///
/// PubNub has no pings: a PubNub client sends requests instead. With ``frugal`` the client sends no request while a poll waits, and only
/// the system's TCP keepalive detects a dead connection.
///
/// A server may request more frequent traffic. Settings of the application, such as an activity timeout, have precedence.
public enum Liveness: String, Hashable, Sendable, CaseIterable {
    /// For urgent messages: a dead connection is detected after 12 s.
    case prompt
    /// A dead connection is detected after 25 s.
    case balanced
    /// For long battery life: the intervals of Pusher's protocol and of PubNub's SDKs. A dead connection is detected after 150 s.
    case frugal
}

extension ConnectionTiming {
    /// Returns these time limits, adjusted to how soon a dead connection has to be detected. ``Liveness/prompt`` only shortens limits;
    /// ``Liveness/frugal`` only lengthens them.
    public func watching(_ liveness: Liveness) -> ConnectionTiming {
        var timing = self
        switch liveness {
        case .prompt:
            timing.activity = min(activity, .seconds(8))
            timing.probe = min(probe, .seconds(4))
            if renewal > .zero { timing.renewal = min(renewal, .seconds(20)) }
        case .balanced:
            break
        case .frugal:
            timing.activity = max(activity, .seconds(120))
            timing.probe = max(probe, .seconds(30))
            timing.renewal = .zero
            timing.socket = max(socket, timing.activity + timing.probe)
        }
        return timing
    }
}
