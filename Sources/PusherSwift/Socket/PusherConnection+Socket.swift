import ConnectionEngine
import Foundation
import Identifiers
import PusherProtocol

#if canImport(Network)
    import Network
#endif

// Events of a socket that the app has set, and delegate calls that apps' tests make on behalf of the socket. Rules PA-43 to PA-51.
extension PusherConnection: WebSocketConnectionDelegate {
    /// The socket is open. The state becomes `connected` with the server's greeting, which may come before or after.
    public func webSocketDidConnect(connection: WebSocketConnection) {
        gate.opened(by: connection)
    }

    /// The socket was closed. The code determines the reaction, as if the peer had sent it.
    public func webSocketDidDisconnect(
        connection: WebSocketConnection, closeCode: NWProtocolWebSocket.CloseCode, reason: Data?
    ) {
        gate.closed(by: connection, closeCode, reason: reason)
    }

    /// The network became available or unavailable: the client probes the link, or a wait for the next attempt ends or pauses (rules
    /// NM).
    public func webSocketViabilityDidChange(connection: WebSocketConnection, isViable: Bool) {
        logLater(.debug, isViable ? .viable : .unviable)
        driver.submit(.networkChanged(isViable ? .available : .unavailable))
    }

    /// The socket migrated to another network path: the client reconnects on it. A failed migration is logged.
    public func webSocketDidAttemptBetterPathMigration(result: Result<WebSocketConnection, NWError>) {
        switch result {
        case .success(let socket):
            gate.failed(by: socket, ConnectionFailure(.networkUnavailable, "The socket moved to a better path."))
        case .failure(let error):
            logLater(.error, .failed, "Error: \(error.failure)")
        }
    }

    /// The socket failed. The connection ends, unless the error only means that there is none.
    public func webSocketDidReceiveError(connection: WebSocketConnection, error: NWError) {
        if error.saysNotConnected {
            logLater(.error, .failed, "Error: \(error.failure)")
        } else {
            gate.failed(by: connection, error.failure)
        }
    }

    /// A ping was answered.
    public func webSocketDidReceivePong(connection: WebSocketConnection) {
        gate.ponged(by: connection)
    }

    /// A text message arrived. Without a connection events still reach the callbacks of their channels, and errors the delegate.
    public func webSocketDidReceiveMessage(connection: WebSocketConnection, string: String) {
        let isConnected = truth.values.state == .connected
        guard let inbound = gate.received(string, by: connection, isConnected: isConnected) else { return }
        callbackQueue.async { [weak self] in self?.deliverUnconnected(inbound) }
    }

    /// A binary message arrived. Pusher's protocol has none, so it is logged and dropped.
    public func webSocketDidReceiveMessage(connection: WebSocketConnection, data: Data) {
        logLater(.error, .notUnderstood, "The message is binary.")
    }

    /// Handles a message that arrived without a connection, as far as it needs none.
    private func deliverUnconnected(_ inbound: PusherInbound) {
        switch inbound {
        case .malformed(let reason, let text):
            if let text { log(.debug, .received, text) }
            log(.error, .notUnderstood, reason)
        case .message(let envelope, let text):
            if let text { log(.debug, .received, text) }
            deliverUnconnected(envelope)
        case .pong:
            return
        }
    }

    private func deliverUnconnected(_ envelope: PusherEnvelope) {
        if envelope.event == PusherEventName.error {
            let error = PusherErrorData(parsing: envelope.data)
            deliver(PusherError(code: error.code, message: error.message))
        } else if envelope.event.hasBytePrefix("pusher_internal:") || envelope.event == PusherEventName.connectionEstablished {
            log(.error, .notUnderstood, "There is no connection to which the message could belong.")
        } else if let name = envelope.channel, PusherChannelType.isEncrypted(name: name),
            !PusherEventName.isReserved(envelope.event)
        {
            guard channels.live(name) != nil else { return }
            log(.warning, .undecryptable, name)
            delegateBox.failedToDecrypt(envelope.event, on: name, data: envelope.data)
        } else {
            handleEvent(event: PusherEvent(envelope))
        }
    }
}
