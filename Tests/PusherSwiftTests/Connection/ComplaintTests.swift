import ConnectionEngine
import Dispatch
import Foundation
import Testing

@testable import PusherSwift

/// What users of PusherSwift complained about and no other test names; `docs/rules/pusherswift.md` lists all issues.
struct ComplaintTests {
    private let fixture = Fixture(options: PusherClientOptions(authMethod: .endpoint(authEndpoint: "http://h/auth")))
    private let notebook = Notebook()

    // Complaint 2: a channel whose subscription failed could not be unsubscribed.
    // Proof of PA-18.
    @Test func `a channel that failed can be unsubscribed and subscribed again`() {
        fixture.http.answer(403, "no")
        fixture.pusher.subscribe("private-a")
        fixture.connect()
        #expect(fixture.delegate.lines.last == "failed private-a")
        fixture.pusher.unsubscribe("private-a")
        #expect(fixture.connection.channels.channels.isEmpty)
        fixture.http.answer(200, #"{"auth":"k:s"}"#)
        let channel = fixture.pusher.subscribe("private-a")
        fixture.settle()
        fixture.confirm("private-a")
        #expect(channel.subscribed)
    }

    // Complaints 5, 17 and 31: all events came on the main thread.
    // Proof of PA-7.
    @Test func `callbacks come on the chosen queue, and on the main queue unless one is chosen`() {
        fixture.pusher.bind { [notebook] _ in
            notebook.note(DispatchQueue.getSpecific(key: Fixture.marker) ?? "elsewhere")
        }
        fixture.connect()
        fixture.receive(#"{"event":"e"}"#)
        #expect(notebook.lines == ["callbacks"])
        #expect(PusherClientOptions().callbackQueue.label == DispatchQueue.main.label)
        #expect(Pusher(key: "k").connection.callbackQueue.label == DispatchQueue.main.label)
    }

    // Complaint 9: stuck in disconnecting.
    // Proof of PA-2.
    @Test func `a goodbye that nobody answers ends in disconnected`() {
        fixture.connect()
        fixture.pusher.disconnect()
        #expect(fixture.connection.connectionState == .disconnecting)
        fixture.timers.advanceToNext()
        fixture.settle()
        #expect(fixture.connection.connectionState == .disconnected && fixture.timers.runningCount == 0)
        #expect(fixture.delegate.states.last == "disconnecting→disconnected")
    }

    // Complaints 10 and 28: reconnects after an intentional disconnect.
    // Proof of PA-2.
    @Test(arguments: [nil, 1000, 1006, 4200]) func `whatever closes it after disconnect, it stays away`(code: Int?) {
        fixture.connect()
        fixture.pusher.disconnect()
        fixture.lose(code: code)
        #expect(fixture.connection.connectionState == .disconnected && !fixture.timers.advanceToNext())
        #expect(fixture.transport.dials == 1)
    }

    // Complaint 11: on returning to the foreground subscriptions were signed for the former socket id.
    // Proof of PA-4.
    @Test func `a subscription is signed for the connection that it is sent on`() {
        let fixture = Fixture(options: PusherClientOptions(authMethod: .endpoint(authEndpoint: "http://h/auth")))
        fixture.pusher.subscribe("private-a")
        fixture.connect()
        fixture.lose()
        fixture.timers.advanceToNext()
        fixture.transport.report(.opened)
        fixture.receive(MockSocket.greeting("9.9"))
        #expect(
            fixture.http.requests.map { String(decoding: $0.body, as: UTF8.self).prefix(22) }.last == "socket_id=9.9&channel_")
        #expect(fixture.sent.isEmpty)
    }

    // Complaint 30: custom timeouts.
    // Proof of PA-15.
    @Test func `the wait for a pong is what the app says`() {
        fixture.connection.activityTimeoutInterval = 10
        fixture.connection.pongResponseTimeoutInterval = 2
        fixture.connect()
        fixture.timers.advance(by: .seconds(10))
        #expect(fixture.connection.connectionState == .connected)
        fixture.timers.advance(by: .seconds(2))
        #expect(fixture.connection.connectionState == .reconnecting)
    }

    // Complaint 38: errors were the socket's own and confusing.
    @Test func `an error that ends the connection says what happened`() {
        fixture.connection.options = PusherClientOptions(autoReconnect: false)
        fixture.connect()
        fixture.transport.report(.closed(ConnectionFailure(.networkUnavailable, "The connection was reset.", errno: 104)))
        fixture.settle()
        #expect(fixture.delegate.lines.last == "error The connection was reset.")
    }
}
