import ConnectionEngine
import EngineRuntime
import PusherProtocol
import Testing

@testable import PusherSwift

/// Rules PA-6 to PA-8, PA-10, PA-19 to PA-23 and PA-40.
struct DeliveryTests {
    private let fixture = Fixture()
    private let notebook = Notebook()

    @Test func `a confirmation reaches global callbacks, then the channel's, then the delegate`() {
        let channel = fixture.pusher.subscribe("a")
        fixture.pusher.bind { [fixture] in fixture.delegate.note("global \($0.eventName)") }
        channel.bind(eventName: "pusher:subscription_succeeded") { [fixture] _ in
            fixture.delegate.note("channel \(channel.subscribed)")
        }
        fixture.deliver(.subscribed("a"))
        #expect(fixture.delegate.lines == ["global pusher:subscription_succeeded", "channel true", "subscribed a"])
    }

    @Test func `a failed subscription is an event and a delegate call`() {
        fixture.pusher.subscribe("private-a")
        fixture.pusher.bind { [notebook] event in
            notebook.note("\(event.eventName) \(event.channelName ?? "-") \(event.data ?? "-")")
        }
        let failure = ConnectionFailure(.accessDenied, "No.", httpStatus: 403)
        fixture.deliver(.subscriptionFailed(channel: "private-a", failure: failure, body: "denied", willRetry: false))
        #expect(notebook.lines == ["pusher:subscription_error private-a denied"])
        #expect(fixture.delegate.lines == ["failed private-a"])
        #expect(fixture.delegate.failures.first?.data == "denied")
        #expect(fixture.delegate.failures.first?.error?.code == 403)
    }

    @Test func `state changes are told once each, with what was before`() {
        fixture.deliver(
            .phase(.connecting), .phase(.connected), .phase(.waiting, attempt: 1), .phase(.suspended, attempt: 1),
            .phase(.connecting, attempt: 1), .phase(.connected), .phase(.disconnecting), .phase(.disconnected),
            .phase(.connecting), .phase(.failed))
        #expect(
            fixture.delegate.states == [
                "disconnected→connecting", "connecting→connected", "connected→reconnecting", "reconnecting→connecting",
                "connecting→connected", "connected→disconnecting", "disconnecting→disconnected", "disconnected→connecting",
                "connecting→disconnected",
            ])
    }

    @Test func `without a connection nothing is subscribed`() {
        let channel = fixture.pusher.subscribe("a")
        fixture.deliver(.phase(.connecting), .phase(.connected), .event(.subscribed("a")))
        #expect(channel.subscribed)
        fixture.deliver(.phase(.waiting, attempt: 1))
        #expect(!channel.subscribed)
    }

    @Test func `errors, undecryptable events and drops reach the delegate`() {
        fixture.pusher.subscribe("private-encrypted-a")
        fixture.deliver(
            .event(.serverError(code: 4004, message: "Application is over connection quota")),
            .event(.decryptionFailed(channel: "private-encrypted-a", event: "e", data: "x")), .dropped(3))
        #expect(
            fixture.delegate.lines == [
                "error 4004: Application is over connection quota", "undecryptable e on private-encrypted-a",
                "error Events were dropped because callbacks are too slow: 3",
            ])
    }

    @Test func `the reason for giving up is told once`() {
        let refused = ConnectionFailure(.refused, "The app does not exist.", closeCode: 4001)
        fixture.deliver(.phase(.connecting), .phase(.failed, cause: refused))
        fixture.deliver(
            .phase(.connecting), .event(.serverError(code: 4001, message: "No such app")), .phase(.failed, cause: refused))
        #expect(
            fixture.delegate.lines.filter { !$0.contains("→") } == [
                "error 4001: The app does not exist.", "error 4001: No such app",
            ])
    }

    @Test func `the log has PusherSwift's heads`() {
        fixture.pusher.subscribe("private-encrypted-a")
        fixture.connection.reconnectAttemptsMax = 6
        let restart = ConnectionChange(
            previous: .connected, phase: .waiting, category: .serverRestart,
            cause: ConnectionFailure(.serverRestart, "gone", closeCode: 4200), attempt: 1, retryIn: .milliseconds(250),
            willRetry: true, at: .zero)
        fixture.deliver(
            .event(.frame(#"{"event":"e"}"#)), .event(.established(socketID: "1.2")), .event(.pinged), .event(.ponged),
            .event(.malformed(reason: "no JSON")), .change(restart), .phase(.waiting, attempt: 2),
            .phase(.failed, attempt: 6), .phase(.disconnected))
        #expect(
            fixture.delegate.log == [
                #"[PUSHER DEBUG] websocketDidReceiveMessage {"event":"e"}"#,
                "[PUSHER DEBUG] Socket established with socket ID: 1.2", "[PUSHER DEBUG] Ping sent",
                "[PUSHER DEBUG] Websocket received pong",
                "[PUSHER ERROR] Unable to handle incoming Websocket message no JSON",
                "[PUSHER INFO] Websocket is disconnected but no error received Close code: 4200. Reason: gone.",
                "[PUSHER DEBUG] Attempting to reconnect after waiting 0.25 seconds (attempt 1 of 6)",
                "[PUSHER DEBUG] Attempting to reconnect immediately (attempt 2 of 6)",
                "[PUSHER WARNING] Max reconnect attempts reached",
                "[PUSHER DEBUG] Deliberate disconnection - skipping reconnect attempts",
            ])
    }

    @Test func `the delegate is held weakly and may be set on either object`() {
        let fixture = Fixture()
        do {
            let delegate = RecordingDelegate()
            fixture.pusher.delegate = delegate
            #expect(fixture.connection.delegate === delegate)
        }
        #expect(fixture.pusher.delegate == nil)
    }

    // Proof of U2, U14.
    @Test func `properties have PusherSwift's defaults`() {
        let connection = fixture.connection
        #expect(connection.activityTimeoutInterval == 60 && connection.pongResponseTimeoutInterval == 30)
        #expect(connection.maxReconnectGapInSeconds == 120 && connection.reconnectAttemptsMax == nil)
        #expect(connection.reconnectAttempts == 0 && connection.socketId == nil)
        #expect(connection.connectionState == .disconnected && connection.userDataFetcher == nil)
        #expect(connection.channels.channels.isEmpty && connection.globalChannel.globalCallbacks.isEmpty)
        let slow = Fixture(options: PusherClientOptions(activityTimeout: 123))
        #expect(slow.connection.activityTimeoutInterval == 123)
    }

    @Test func `what cannot be sent is said`() {
        let plain = fixture.pusher.subscribe("a")
        let secret = fixture.pusher.subscribe("private-encrypted-a")
        let closed = fixture.pusher.subscribe("private-a")
        plain.trigger(eventName: "client-e", data: [:])
        secret.trigger(eventName: "client-e", data: [:])
        closed.trigger(eventName: "e", data: [:])
        closed.trigger(eventName: "client-e", data: fixture)
        fixture.connection.sendEvent(event: "client-e", data: [:])
        fixture.settle()
        #expect(
            fixture.delegate.lines == [
                "error You must be subscribed to a private or presence channel to send client events",
                "error Client events are not supported on encrypted channels: private-encrypted-a",
                "error Client events must have names of at most 200 letters that begin with client-: e",
                "error Data of an event is not a JSON value: client-e",
                "error You must be subscribed to a private or presence channel to send client events",
            ])
        #expect([plain, secret, closed].allSatisfy { $0.unsentEvents.isEmpty })
    }

    @Test func `client events wait for the subscription, the newest first`() {
        let channel = fixture.pusher.subscribe("private-a")
        channel.trigger(eventName: "client-1", data: ["a": 1])
        channel.trigger(eventName: "client-2", data: "text")
        #expect(channel.unsentEvents.map(\.name) == ["client-2", "client-1"])
        fixture.deliver(.subscribed("private-a"))
        #expect(channel.unsentEvents.isEmpty)
    }
}
