import Foundation

#if canImport(Network)
    import Network
#endif

/// A WebSocket as PusherSwift's connection uses it. The protocol of the library NWWebSocket, by the same names.
public protocol WebSocketConnection {
    /// The delegate that gets all events; held weakly.
    var delegate: WebSocketConnectionDelegate? { get set }

    /// Dials.
    func connect()

    /// Sends a text message.
    func send(string: String)

    /// Sends a binary message.
    func send(data: Data)

    /// Begins to read. ``NWWebSocket`` does this by itself.
    func listen()

    /// Sends a ping every `interval` seconds.
    func ping(interval: TimeInterval)

    /// Sends a ping.
    func ping()

    /// Closes.
    func disconnect(closeCode: NWProtocolWebSocket.CloseCode)
}

/// Gets the events of a ``WebSocketConnection``. ``PusherConnection`` conforms to it.
public protocol WebSocketConnectionDelegate: AnyObject {
    /// The handshake is done.
    func webSocketDidConnect(connection: WebSocketConnection)

    /// The socket was closed, by either side.
    func webSocketDidDisconnect(
        connection: WebSocketConnection, closeCode: NWProtocolWebSocket.CloseCode, reason: Data?)

    /// The network came or went.
    func webSocketViabilityDidChange(connection: WebSocketConnection, isViable: Bool)

    /// The socket moved to another way out, or could not. ``NWWebSocket`` never calls it: it does not move.
    func webSocketDidAttemptBetterPathMigration(result: Result<WebSocketConnection, NWError>)

    /// The socket failed.
    func webSocketDidReceiveError(connection: WebSocketConnection, error: NWError)

    /// A ping was answered.
    func webSocketDidReceivePong(connection: WebSocketConnection)

    /// A text message came.
    func webSocketDidReceiveMessage(connection: WebSocketConnection, string: String)

    /// A binary message came.
    func webSocketDidReceiveMessage(connection: WebSocketConnection, data: Data)
}
