import Foundation
import Testing

@testable import PusherSwift

/// What apps' tests tell a connection in the name of its socket. Rules PA-47 and PA-48.
struct SocketInjectionTests {
    private let fixture = Fixture()
    private let notebook = Notebook()

    private func tell(_ text: String) {
        fixture.connection.webSocketDidReceiveMessage(connection: fixture.connection.socket, string: text)
        fixture.settle()
    }

    // Proof of U12.
    @Test func `without a connection events reach their callbacks and errors the delegate`() {
        let channel = fixture.pusher.subscribe("test-channel")
        channel.bind(eventName: "e") { [notebook] in notebook.note("channel \($0.data ?? "-")") }
        fixture.pusher.bind { [notebook] in notebook.note("global \($0.channelName ?? "-") \($0.eventName)") }
        tell(#"{"event":"e","channel":"test-channel","data":"text"}"#)
        tell(#"{"event":"e","data":"text"}"#)
        tell(#"{"event":"e","channel":"other","data":"text"}"#)
        #expect(notebook.lines == ["global test-channel e", "channel text", "global - e"])
        tell(#"{"event":"pusher:error","data":{"message":"Application is over connection quota","code":4004}}"#)
        #expect(fixture.delegate.lines == ["error 4004: Application is over connection quota"])
        #expect(fixture.connection.connectionState == .disconnected && fixture.transport.dials == 0)
    }

    // Proof of U5.
    @Test(arguments: [
        #"{"event":"pusher_internal:subscription_succeeded","channel":"a","data":"{}"}"#, "{", "[]",
        #"{"event":"pusher:connection_established","data":"{\"socket_id\":\"1.2\"}"}"#,
    ])
    func `what needs a connection is logged`(text: String) {
        let channel = fixture.pusher.subscribe("a")
        tell(text)
        #expect(!channel.subscribed && fixture.connection.socketId == nil)
        #expect(fixture.delegate.log.first == "[PUSHER DEBUG] websocketDidReceiveMessage \(text)")
        #expect(fixture.delegate.log.last?.hasPrefix("[PUSHER ERROR] Unable to handle incoming Websocket message") == true)
    }

    @Test func `an encrypted event cannot be opened without a connection`() {
        fixture.pusher.subscribe("private-encrypted-a")
        tell(#"{"event":"e","channel":"private-encrypted-a","data":"{}"}"#)
        #expect(fixture.delegate.lines == ["undecryptable e on private-encrypted-a"])
    }

    @Test func `on a live connection messages go through the session`() {
        fixture.pusher.subscribe("a")
        fixture.connect()
        tell(#"{"event":"pusher_internal:subscription_succeeded","channel":"a","data":"{}"}"#)
        #expect(fixture.delegate.lines.last == "subscribed a")
    }

    @Test func `a live connection can be told that it is lost`() {
        fixture.connect()
        let socket = fixture.connection.socket!
        fixture.connection.webSocketDidDisconnect(connection: socket, closeCode: .privateCode(4200), reason: Data("bye".utf8))
        fixture.settle()
        #expect(fixture.connection.connectionState == .reconnecting && fixture.transport.live.isEmpty == false)
        #expect(fixture.delegate.log.contains { $0.contains("Close code: 4200. Reason: bye.") })
        fixture.timers.advanceToNext()
        fixture.greet()
        fixture.connection.webSocketDidReceiveError(connection: socket, error: .posix(.ECONNRESET))
        #expect(fixture.connection.connectionState == .reconnecting && fixture.transport.live.isEmpty == false)
    }
}
