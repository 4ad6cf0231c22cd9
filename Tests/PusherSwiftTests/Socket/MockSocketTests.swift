import Foundation
import NIOConcurrencyHelpers
import Testing

@testable import PusherSwift

/// A mock in the place of the network, as tests of apps have it. Rules PA-43 to PA-51.
struct MockSocketTests {
    private let fixture = Fixture(options: PusherClientOptions(authMethod: .inline(secret: "secret"), autoReconnect: false))
    private let socket = MockSocket()
    private let notebook = Notebook()

    init() {
        fixture.connection.socket = socket
    }

    private func tell(_ text: String) {
        fixture.connection.webSocketDidReceiveMessage(connection: socket, string: text)
        fixture.settle()
    }

    // Proof of U4.
    @Test func `it is dialled within connect, and nothing else is`() {
        #expect(socket.delegate === fixture.connection)
        fixture.pusher.connect()
        #expect(socket.calls == ["connect"] && fixture.transport.dials == 0)
        #expect(fixture.connection.connectionState == .connected)
        #expect(fixture.connection.socketId == Fixture.socketID)
        fixture.settle()
        #expect(fixture.delegate.states == ["disconnected→connecting", "connecting→connected"])
        #expect(fixture.delegate.log.first == "[PUSHER DEBUG] websocketDidReceiveMessage \(MockSocket.greeting())")
    }

    // Proof of U4.
    @Test func `it gets the frames, and its answers reach callbacks`() {
        let channel = fixture.pusher.subscribe("test-channel")
        channel.bind(eventName: "e") { [notebook] in notebook.note($0.data ?? "-") }
        fixture.pusher.connect()
        #expect(socket.sent == [#"{"event":"pusher:subscribe","data":{"channel":"test-channel"}}"#])
        tell(#"{"event":"e","channel":"test-channel","data":"{\"a\":1}"}"#)
        #expect(channel.subscribed && notebook.lines == [#"{"a":1}"#])
        fixture.pusher.unsubscribe("test-channel")
        #expect(socket.sent.last == #"{"event":"pusher:unsubscribe","data":{"channel":"test-channel"}}"#)
    }

    // Proof of U4.
    @Test func `private and presence channels are authorised for it`() {
        fixture.pusher.connect()
        let channel = fixture.pusher.subscribe("private-channel")
        fixture.settle()
        let signature = "6aae8814fabd5285245422096705abbed64ea59614648814ffb0bf2dc5d19168"
        #expect(socket.sent.last?.contains("\"auth\":\"testKey123:\(signature)\"") == true && channel.subscribed)
    }

    // Proof of U4.
    @Test func `disconnecting closes it, and tells four changes`() {
        fixture.pusher.connect()
        fixture.pusher.disconnect()
        fixture.settle()
        #expect(socket.calls == ["connect", "disconnect 1000"])
        #expect(fixture.delegate.states.suffix(2) == ["connected→disconnecting", "disconnecting→disconnected"])
        #expect(fixture.timers.runningCount == 0)
    }

    // Proof of U12.
    @Test func `close codes decide as they do on the network`() {
        fixture.pusher.connect()
        socket.disconnect(closeCode: .privateCode(4200))
        fixture.settle()
        #expect(fixture.connection.connectionState == .reconnecting)
        fixture.timers.advanceToNext()
        fixture.settle()
        #expect(fixture.connection.connectionState == .connected && socket.calls.count { $0 == "connect" } == 2)
        socket.disconnect(closeCode: .privateCode(4009))
        fixture.settle()
        #expect(fixture.connection.connectionState == .disconnected && fixture.timers.runningCount == 0)
        #expect(
            fixture.delegate.states == [
                "disconnected→connecting", "connecting→connected", "connected→reconnecting", "reconnecting→connecting",
                "connecting→connected", "connected→disconnected",
            ])
    }

    // Complaints 14 and 15: a POSIX error left a dead socket behind, and the state `connected`.
    // Proof of PA-51.
    @Test(arguments: [NWError.posix(.ECONNRESET), .posix(.ETIMEDOUT), .posix(.ENODATA), .dns(-65_554)])
    func `an error ends the link and the socket`(error: NWError) {
        fixture.connection.options = PusherClientOptions(authMethod: .inline(secret: "secret"))
        fixture.pusher.connect()
        fixture.connection.webSocketDidReceiveError(connection: socket, error: error)
        fixture.settle()
        #expect(fixture.connection.connectionState == .reconnecting && fixture.connection.socketId == nil)
        #expect(socket.calls.last?.hasPrefix("disconnect") == true)
        #expect(fixture.delegate.log.contains { $0.hasPrefix("[PUSHER ERROR] Websocket received error. Error: ") })
        fixture.timers.advanceToNext()
        fixture.settle()
        #expect(fixture.connection.connectionState == .connected)
    }

    @Test func `an untrusted certificate is not tried again`() {
        fixture.connection.options = PusherClientOptions()
        fixture.pusher.connect()
        fixture.connection.webSocketDidReceiveError(connection: socket, error: .tls(-9807))
        #expect(fixture.connection.connectionState == .disconnected)
    }

    @Test func `an error that only says not connected is logged`() {
        fixture.pusher.connect()
        fixture.connection.webSocketDidReceiveError(connection: socket, error: .posix(.ENOTCONN))
        fixture.settle()
        #expect(fixture.connection.connectionState == .connected)
        #expect(fixture.delegate.log.last?.hasPrefix("[PUSHER ERROR] Websocket received error.") == true)
    }

    @Test func `a silent one is pinged, and closed when no pong comes`() {
        fixture.connection.options = PusherClientOptions()
        fixture.pusher.connect()
        fixture.timers.advance(by: .seconds(20))
        #expect(socket.calls.last == "ping")
        fixture.timers.advance(by: .seconds(1))
        fixture.connection.webSocketDidReceivePong(connection: socket)
        fixture.settle()
        #expect(fixture.delegate.log.contains("[PUSHER DEBUG] Websocket received pong"))
        #expect(fixture.connection.connectionState == .connected)
        // The next ping and the wait for its pong.
        for _ in 0..<10 where fixture.connection.connectionState == .connected { fixture.timers.advanceToNext() }
        #expect(socket.calls.count { $0 == "ping" } == 2)
        #expect(fixture.connection.connectionState == .reconnecting && socket.calls.last?.hasPrefix("disconnect") == true)
    }

    @Test func `a moved socket is a new connection`() {
        fixture.connection.options = PusherClientOptions()
        fixture.pusher.subscribe("a")
        fixture.pusher.connect()
        fixture.connection.webSocketDidAttemptBetterPathMigration(result: .success(socket))
        #expect(fixture.connection.connectionState == .reconnecting)
        fixture.timers.advanceToNext()
        #expect(fixture.connection.connectionState == .connected && socket.sent.count == 2)
        fixture.connection.webSocketDidAttemptBetterPathMigration(result: .failure(.posix(.ENETDOWN)))
        #expect(fixture.connection.connectionState == .connected)
    }

    @Test func `its news of the network probes the link`() {
        fixture.pusher.connect()
        fixture.connection.webSocketViabilityDidChange(connection: socket, isViable: false)
        fixture.connection.webSocketViabilityDidChange(connection: socket, isViable: true)
        fixture.settle()
        #expect(socket.calls == ["connect", "ping"])
        #expect(fixture.delegate.log.contains("[PUSHER DEBUG] Network connection became unviable"))
        #expect(fixture.delegate.log.contains("[PUSHER DEBUG] Network connection became viable"))
    }

    @Test func `it may call the client from within its calls`() {
        let fixture = self.fixture
        socket.answer { [weak pusher = fixture.pusher] frame in
            if frame.contains("\"a\"") { pusher?.subscribe("b") }
            return MockSocket.confirmation(of: frame)
        }
        fixture.pusher.connect()
        fixture.pusher.subscribe("a")
        fixture.settle()
        #expect(socket.sent.count == 2 && fixture.connection.channels.channels.values.allSatisfy(\.subscribed))
    }

    @Test func `what a former socket still says counts for nothing`() {
        fixture.pusher.connect()
        let stranger = MockSocket()
        fixture.connection.webSocketDidDisconnect(connection: stranger, closeCode: .privateCode(4009), reason: nil)
        fixture.connection.webSocketDidReceiveError(connection: stranger, error: .posix(.ECONNRESET))
        fixture.connection.webSocketDidConnect(connection: stranger)
        #expect(fixture.connection.connectionState == .connected)
        fixture.connection.webSocketDidReceiveMessage(connection: socket, data: Data([1]))
        fixture.settle()
        #expect(fixture.delegate.log.last?.hasPrefix("[PUSHER ERROR] Unable to handle incoming Websocket message") == true)
    }

    @Test func `one that never opens is given up in time`() {
        socket.staySilent()
        fixture.connection.options = PusherClientOptions()
        fixture.pusher.connect()
        #expect(fixture.connection.connectionState == .connecting)
        fixture.timers.advanceToNext()
        #expect(fixture.connection.connectionState == .reconnecting && socket.calls.count == 2)
    }
}
