#if canImport(ObjectiveC)
    import Foundation
#endif

/// Where a connection is, in Pusher's words.
///
/// Raw values are those of PusherSwift 10.1, since Objective-C code compares them.
#if canImport(ObjectiveC)
    @objc
#endif
public enum ConnectionState: Int, Sendable {
    /// An attempt is under way.
    case connecting
    /// Pusher confirmed the connection.
    case connected
    /// Asked to disconnect; the server may still answer the goodbye.
    case disconnecting
    /// Not connected, and nothing will be tried until the next `connect()`.
    case disconnected
    /// The connection was lost or an attempt failed; the next attempt comes by itself.
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
