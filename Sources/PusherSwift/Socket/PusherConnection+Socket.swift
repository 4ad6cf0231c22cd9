import ConnectionEngine
import Foundation
import Identifiers
import PusherProtocol

#if canImport(Network)
    import Network
#endif

// Handles events of a socket that the app has set, and delegate calls that tests of apps make instead of a socket (rules PA-43 to PA-51).
extension PusherConnection: WebSocketConnectionDelegate {
    /// The socket is open. The state becomes `connected` when the server's greeting has arrived as well.
    public func webSocketDidConnect(connection: WebSocketConnection) {
        gate.opened(by: connection)
    }

    /// The socket was closed. The client reacts to the close code as if the server had sent it.
    public func webSocketDidDisconnect(
        connection: WebSocketConnection, closeCode: NWProtocolWebSocket.CloseCode, reason: Data?
    ) {
        gate.closed(by: connection, closeCode, reason: reason)
    }

    /// The network became available or unavailable. An open connection is probed. During a pause before the next attempt to connect, the
    /// attempt starts at once when the network is available, and is suspended when the network is unavailable (rules NW-1 to NW-3).
    public func webSocketViabilityDidChange(connection: WebSocketConnection, isViable: Bool) {
        logLater(.debug, isViable ? .viable : .unviable)
        driver.submit(.networkChanged(isViable ? .available : .unavailable))
    }

    /// The socket migrated to another network path, so the client reconnects. A failed migration is only logged.
    public func webSocketDidAttemptBetterPathMigration(result: Result<WebSocketConnection, NWError>) {
        switch result {
        case .success(let socket):
            let reason = "The socket moved to a better network path, so the client reconnects."
            gate.failed(by: socket, ConnectionFailure(.networkUnavailable, reason))
        case .failure(let error):
            logLater(.error, .failed, rest: "Error: \(error.failure)")
        }
    }

    /// The socket failed, which ends the connection. An error that only says that there is no connection ends nothing and is only logged.
    public func webSocketDidReceiveError(connection: WebSocketConnection, error: NWError) {
        if error.saysNotConnected {
            logLater(.error, .failed, rest: "Error: \(error.failure)")
        } else {
            gate.failed(by: connection, error.failure)
        }
    }

    /// The server answered a ping.
    public func webSocketDidReceivePong(connection: WebSocketConnection) {
        gate.ponged(by: connection)
    }

    /// A text message arrived. Even without a connection, events reach the callbacks of their channels, and errors reach the delegate.
    public func webSocketDidReceiveMessage(connection: WebSocketConnection, string: String) {
        let isConnected = truth.values.state == .connected
        guard let inbound = gate.received(string, by: connection, isConnected: isConnected) else { return }
        callbackQueue.async { [weak self] in self?.deliverUnconnected(inbound) }
    }

    /// A binary message arrived. It is logged and dropped, because Pusher's protocol has no binary messages.
    public func webSocketDidReceiveMessage(connection: WebSocketConnection, data: Data) {
        logLater(.error, .notUnderstood, rest: "The message is binary, but Pusher's protocol uses text.")
    }

    /// Handles a message that arrived without a connection. A message that has a meaning only on a connection, such as the server's
    /// greeting, is logged as an error.
    private func deliverUnconnected(_ inbound: PusherInbound) {
        switch inbound {
        case .malformed(let reason, let text):
            if let text { log(.debug, .received, rest: text) }
            log(.error, .notUnderstood, rest: reason)
        case .message(let envelope, let text):
            if let text { log(.debug, .received, rest: text) }
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
            log(.error, .notUnderstood, rest: "The message arrived without an open connection.")
        } else if let name = envelope.channel, PusherChannelType.isEncrypted(name: name),
            !PusherEventName.isReserved(envelope.event)
        {
            guard channels.live(name) != nil else { return }
            log(.warning, .undecryptable, rest: name)
            delegateBox.failedToDecrypt(envelope.event, on: name, data: envelope.data)
        } else {
            handleEvent(event: PusherEvent(envelope))
        }
    }
}
