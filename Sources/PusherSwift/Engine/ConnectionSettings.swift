import ConnectionEngine
import Foundation
import PusherProtocol

/// PusherSwift's settings of a connection, and the engine's policy that results from them (rules PA-11 to PA-16).
struct ConnectionSettings: Hashable, Sendable {
    /// A setting in seconds: the app's choice, or the default that PusherSwift documents.
    enum Choice: Hashable, Sendable {
        case documented
        case chosen(Double?)
    }

    var timing = PusherTiming.standard
    var autoReconnect = true
    var retryPolicy: RetryPolicy?
    var backgroundGrace: TimeInterval? = 20
    var liveness = Liveness.balanced
    var reconnectAttemptsMax: Int?
    var gap = Choice.documented
    var activityTimeout = Choice.documented
    var pongTimeout = Choice.documented

    /// The defaults that PusherSwift documents, in seconds. A property that the app has not set returns its default, although the engine
    /// uses a shorter time.
    static let documentedGap: Double? = 120
    static let documentedActivityTimeout: TimeInterval = 60
    static let documentedPongTimeout: TimeInterval = 30

    var policy: ConnectionPolicy {
        var policy: ConnectionPolicy
        switch timing {
        case .standard:
            policy = .standard
            policy.cap = .clamped(seconds: Self.documentedGap ?? .infinity)
        case .fast:
            policy = .fast
        }
        policy.timing = policy.timing.watching(liveness)
        policy.overrides = PusherSession.policyOverrides
        policy.retriesAutomatically = autoReconnect
        var retries = retryPolicy
        if case .chosen(let seconds) = gap {
            policy.cap = .clamped(seconds: seconds ?? .infinity)
            retries = retries?.capped(at: policy.cap)
        }
        policy = policy.retrying(retries)
        policy.backgroundGrace = backgroundGrace.map { $0.isNaN ? .zero : .seconds(min(max($0, 0), 86_400)) }
        if let most = reconnectAttemptsMax { policy.maximumRetries = max(most, 0) }
        if case .chosen(let seconds?) = activityTimeout { policy.timing.activity = .clamped(seconds: seconds) }
        if case .chosen(let seconds?) = pongTimeout { policy.timing.probe = .clamped(seconds: seconds) }
        return policy
    }
}

extension Duration {
    /// `seconds` clamped to 0.1 s to 1 day, because shorter pauses would overload the server and longer pauses are useless. Infinity is
    /// accepted; NaN counts as 0.1 s.
    static func clamped(seconds: Double) -> Duration {
        seconds.isNaN ? .seconds(0.1) : .seconds(min(max(seconds, 0.1), 86_400))
    }
}
