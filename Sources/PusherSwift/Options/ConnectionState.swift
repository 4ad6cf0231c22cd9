#if canImport(ObjectiveC)
    import Foundation
#endif

/// The states of a connection, as Pusher names them.
///
/// The raw values are those of PusherSwift 10.1, because Objective-C code compares them.
#if canImport(ObjectiveC)
    @objc
#endif
public enum ConnectionState: Int, Sendable {
    /// An attempt to connect is in progress.
    case connecting
    /// The server has confirmed the connection.
    case connected
    /// The connection is being closed on request; the server has not answered yet.
    case disconnecting
    /// There is no connection. The client does not try to connect until `connect()` is called.
    case disconnected
    /// The connection was lost or an attempt failed. The client tries again automatically.
    case reconnecting

    /// The name of the case, for instance `"connecting"`.
    public func stringValue() -> String {
        switch self {
        case .connecting: "connecting"
        case .connected: "connected"
        case .disconnecting: "disconnecting"
        case .disconnected: "disconnected"
        case .reconnecting: "reconnecting"
        }
    }
}
