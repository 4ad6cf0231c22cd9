import Foundation
import PusherSwift

#if canImport(Network)
    import Network
#endif

/// Writes down what a socket tells its delegate.
final class SocketSpy: WebSocketConnectionDelegate, Sendable {
    let diary = Diary()

    func webSocketDidConnect(connection: WebSocketConnection) { diary.note("connected") }

    func webSocketDidDisconnect(connection: WebSocketConnection, closeCode: NWProtocolWebSocket.CloseCode, reason: Data?) {
        diary.note("closed \(closeCode)")
    }

    func webSocketViabilityDidChange(connection: WebSocketConnection, isViable: Bool) { diary.note("viable \(isViable)") }

    func webSocketDidAttemptBetterPathMigration(result: Result<WebSocketConnection, NWError>) { diary.note("moved") }

    func webSocketDidReceiveError(connection: WebSocketConnection, error: NWError) { diary.note("failed \(error)") }

    func webSocketDidReceivePong(connection: WebSocketConnection) { diary.note("pong") }

    func webSocketDidReceiveMessage(connection: WebSocketConnection, string: String) { diary.note(string) }

    func webSocketDidReceiveMessage(connection: WebSocketConnection, data: Data) { diary.note("\(data.count) bytes") }
}
