import ConnectionEngine
import Foundation

/// A change of the connection's state with its cause and code. An addition to PusherSwift 10.1, whose states have no cause.
public struct PusherConnectionStatus: Hashable, Sendable {
    /// The new state.
    public var state: ConnectionState
    /// The kind of change as a word, such as `unexpectedDisconnect` or `timeout`. `docs/behaviour.md` lists all words.
    public var category: String
    /// The cause as a human-readable sentence; nil when there was no failure.
    public var reason: String?
    /// The server's WebSocket close code or HTTP status; nil if there was neither.
    public var code: Int?
    /// How many attempts to connect have failed in a row.
    public var attempt: Int
    /// Seconds until the next attempt to connect; nil when none is scheduled.
    public var retryIn: TimeInterval?
    /// Whether the client will try to connect again without a call of `connect()`.
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
    /// Called on the callback queue for every change of state and every failed attempt, before the delegate is called.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var onStatusChange: ((PusherConnectionStatus) -> Void)? {
        get { state.withLockedValue { $0.onStatusChange } }
        set { state.replace(\.onStatusChange, with: newValue) }
    }

    /// Called on the callback queue when the system reports that this machine has gained or lost its route to the server. Whether the
    /// server can be reached is reported by ``onStatusChange`` (rule PA-94).
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var onNetworkChange: ((_ isAvailable: Bool) -> Void)? {
        get { state.withLockedValue { $0.onNetworkChange } }
        set { state.replace(\.onNetworkChange, with: newValue) }
    }
}
