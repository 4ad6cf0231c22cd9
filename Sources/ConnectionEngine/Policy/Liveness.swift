/// How soon a client notices that a connection is dead, which costs traffic while nothing is said. Rule LV-18.
///
/// | | asks after | dead after | pings an hour | PubNub's requests an hour |
/// |---|---|---|---|---|
/// | ``prompt`` | 8 s of silence | 12 s | 450 | 590 |
/// | ``balanced`` | 20 s | 25 s | 180 | 240 |
/// | ``frugal`` | 120 s; PubNub's answer to a poll | 150 s | 30 | 12 |
///
/// A server that wants to hear more often is heard more often. What an application sets by itself, such as an activity timeout, counts
/// before this.
public enum Liveness: String, Hashable, Sendable, CaseIterable {
    /// For what must not be late: a dead connection is noticed after 12 s.
    case prompt
    /// A dead connection is noticed after 25 s.
    case balanced
    /// For batteries: the figures of Pusher's protocol and of PubNub's SDKs. A dead connection is noticed after 150 s.
    case frugal
}

extension ConnectionTiming {
    /// The same times, but for how soon a dead connection is noticed. ``Liveness/prompt`` makes nothing slower, ``Liveness/frugal`` nothing
    /// faster than this timing is already.
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
