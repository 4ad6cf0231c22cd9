import Dispatch
import Foundation
import PusherSwift
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif
#if canImport(Network)
    import Network
#endif

/// The socket that PusherSwift shows, used and overridden as apps do. See ``SurfaceTests``.
struct SocketSurfaceTests {
    class MySocket: NWWebSocket, @unchecked Sendable {
        var calls: [String] = []

        init() {
            super.init(url: URL(fileURLWithPath: "test"))
        }

        override func connect() { calls.append("connect") }
        override func send(string: String) { calls.append("text") }
        override func send(data: Data) { calls.append("data") }
        override func ping(interval: TimeInterval) { calls.append("ping \(interval)") }
        override func ping() { calls.append("ping") }
        override func disconnect(closeCode: NWProtocolWebSocket.CloseCode = .protocolCode(.normalClosure)) {
            calls.append("disconnect")
        }
    }

    @Test func `a socket has NWWebSocket's methods, and they can be overridden`() throws {
        let socket = MySocket()
        let connection: any WebSocketConnection = socket
        connection.connect()
        connection.send(string: "a")
        connection.send(data: Data())
        connection.listen()
        connection.ping(interval: 1)
        connection.ping()
        connection.disconnect(closeCode: .applicationCode(3000))
        socket.disconnect()
        #expect(socket.calls == ["connect", "text", "data", "ping 1.0", "ping", "disconnect", "disconnect"])
        let queue = DispatchQueue(label: "sockets")
        let request = URLRequest(url: try #require(URL(string: "ws://127.0.0.1:1/")))
        let sockets: [NWWebSocket] = [
            NWWebSocket(
                request: request, connectAutomatically: false, options: NWWebSocket.defaultOptions, connectionQueue: queue),
            NWWebSocket(
                url: URL(fileURLWithPath: "/"), connectAutomatically: false, options: NWWebSocket.defaultOptions,
                connectionQueue: queue),
            NWWebSocket(request: request), NWWebSocket(url: URL(fileURLWithPath: "/")),
        ]
        let pusher = Pusher(key: "k")
        for socket in sockets { socket.delegate = pusher.connection }
        #expect(sockets.allSatisfy { $0.delegate === pusher.connection } && NWWebSocket.defaultOptions.autoReplyPing)
        let options: NWProtocolWebSocket.Options = NWWebSocket.defaultOptions
        options.maximumMessageSize = 10
        options.setAdditionalHeaders([(name: "a", value: "b")])
        options.setSubprotocols(["c"])
    }

    @Test func `a connection is its socket's delegate`() {
        let connection = Pusher(key: "k").connection
        let socket: NWWebSocket = connection.socket
        let delegate: any WebSocketConnectionDelegate = connection
        delegate.webSocketDidConnect(connection: socket)
        delegate.webSocketDidReceivePong(connection: socket)
        delegate.webSocketDidReceiveMessage(connection: socket, string: "{}")
        delegate.webSocketDidReceiveMessage(connection: socket, data: Data())
        delegate.webSocketViabilityDidChange(connection: socket, isViable: true)
        delegate.webSocketDidAttemptBetterPathMigration(result: .success(socket))
        delegate.webSocketDidReceiveError(connection: socket, error: .posix(.ECONNRESET))
        delegate.webSocketDidDisconnect(connection: socket, closeCode: .privateCode(4200), reason: nil)
        connection.socket = MySocket()
        connection.socket = nil
        #expect(connection.connectionState == .disconnected)
        let errors: [NWError] = [.posix(.ENOTCONN), .dns(-65_554), .tls(-9807)]
        #expect(errors.count == 3)
    }
}
