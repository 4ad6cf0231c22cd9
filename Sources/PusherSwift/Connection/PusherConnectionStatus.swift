import ConnectionEngine
import Foundation

/// A change of the connection's state with everything that is known about it. An addition to PusherSwift 10.1, whose states come
/// without a cause.
public struct PusherConnectionStatus: Hashable, Sendable {
    public var state: ConnectionState
    /// What the change is about, such as `unexpectedDisconnect` or `timeout`; the vocabulary is in `docs/behaviour.md`.
    public var category: String
    /// What went wrong, as a sentence; nil when nothing did.
    public var reason: String?
    /// The server's close code or HTTP status, if there was one.
    public var code: Int?
    /// Failed attempts in a row so far.
    public var attempt: Int
    /// Seconds until the next attempt; nil when none is waiting.
    public var retryIn: TimeInterval?
    /// Whether the library tries again by itself.
    public var willRetry: Bool

    init(_ change: ConnectionChange) {
        state = ConnectionState(after: change)
        category = change.category.rawValue
        reason = change.cause?.reason
        code = change.cause?.code
        attempt = change.attempt
        retryIn = change.retryIn?.inSeconds
        willRetry = change.willRetry
    }
}

extension PusherConnection {
    /// Called on the callback queue for every change of state, before the delegate; each failed attempt is one.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var onStatusChange: ((PusherConnectionStatus) -> Void)? {
        get { state.withLockedValue { $0.onStatusChange } }
        set { state.replace(\.onStatusChange, with: newValue) }
    }
}
