import Foundation

#if canImport(Network)
    import Network
#endif

/// A WebSocket that a `PusherConnection` can use, with the names of the protocol in the library NWWebSocket.
public protocol WebSocketConnection {
    /// The delegate that gets all events; held weakly.
    var delegate: WebSocketConnectionDelegate? { get set }

    /// Connects.
    func connect()

    /// Sends a text message.
    func send(string: String)

    /// Sends a binary message.
    func send(data: Data)

    /// Starts reading messages. ``NWWebSocket`` does this automatically.
    func listen()

    /// Sends a ping every `interval` seconds.
    func ping(interval: TimeInterval)

    /// Sends a ping.
    func ping()

    /// Closes the connection.
    func disconnect(closeCode: NWProtocolWebSocket.CloseCode)
}

/// Gets the events of a ``WebSocketConnection``. ``PusherConnection`` conforms to it.
public protocol WebSocketConnectionDelegate: AnyObject {
    /// The socket has finished the WebSocket handshake and is open.
    func webSocketDidConnect(connection: WebSocketConnection)

    /// The socket was closed, by either side.
    func webSocketDidDisconnect(
        connection: WebSocketConnection, closeCode: NWProtocolWebSocket.CloseCode, reason: Data?)

    /// The network became available or unavailable.
    func webSocketViabilityDidChange(connection: WebSocketConnection, isViable: Bool)

    /// The socket migrated to another network path, or the migration failed. ``NWWebSocket`` never calls this method, because it does not
    /// migrate.
    func webSocketDidAttemptBetterPathMigration(result: Result<WebSocketConnection, NWError>)

    /// The socket failed.
    func webSocketDidReceiveError(connection: WebSocketConnection, error: NWError)

    /// The peer answered a ping.
    func webSocketDidReceivePong(connection: WebSocketConnection)

    /// A text message arrived.
    func webSocketDidReceiveMessage(connection: WebSocketConnection, string: String)

    /// A binary message arrived.
    func webSocketDidReceiveMessage(connection: WebSocketConnection, data: Data)
}
