import ConnectionEngine
import PusherProtocol
import Testing

@testable import PusherSwift

/// What is known to break Pusher clients, as far as the session does not decide it; hazards 1, 3 to 6 and 10 are in
/// `PusherHazardTests` of the protocol.
struct HazardTests {
    private let fixture = Fixture(
        key: "testKey123", options: PusherClientOptions(authMethod: .inline(secret: "secret"), autoReconnect: false))

    // Proof of P2.
    @Test func `hazard 2 - a ping of the server is answered with a pong`() {
        fixture.connect()
        fixture.receive(#"{"event":"pusher:ping","data":{}}"#)
        #expect(fixture.sent.last == PusherClientFrames.pong)
    }

    // Proof of P7.
    @Test func `hazard 7 - an authorizer's nil is told, as an event and to the delegate`() {
        let method = AuthMethod.authorizer(authorizer: AuthorizingTests.Authority(nil))
        let fixture = Fixture(options: PusherClientOptions(authMethod: method))
        let notebook = Notebook()
        fixture.pusher.subscribe("private-a").bind(eventName: "pusher:subscription_error") { notebook.note($0.eventName) }
        fixture.connect()
        #expect(notebook.lines == ["pusher:subscription_error"] && fixture.delegate.lines.last == "failed private-a")
    }

    // Proof of P8.
    @Test func `hazard 8 - the key keeps its case in the address and in signatures`() {
        #expect(fixture.connection.url.contains("/app/testKey123?"))
        fixture.pusher.subscribe("private-a")
        fixture.connect()
        #expect(fixture.sent.last?.contains(#""auth":"testKey123:"#) == true)
    }

    // Proof of P9.
    @Test(arguments: [(10, 10), (300, 20)])
    func `hazard 9 - the shorter of the own and the server's activity timeout counts`(server: Int, seconds: Int) {
        fixture.pusher.connect()
        fixture.greet(activityTimeout: server)
        fixture.timers.advance(by: .seconds(seconds - 1))
        fixture.settle()
        #expect(fixture.delegate.log.last != "[PUSHER DEBUG] Ping sent")
        fixture.timers.advance(by: .seconds(1))
        fixture.settle()
        #expect(fixture.delegate.log.last == "[PUSHER DEBUG] Ping sent")
    }

    // Proof of P11.
    @Test(
        arguments: [
            (4000, nil), (4099, nil), (4100, 1.0), (4199, 1.0), (4200, 0.0), (4299, 0.0), (4300, 0.0), (4999, 0.0),
        ] as [(Int, Double?)])
    func `hazard 11 - every close code counts by its range`(code: Int, atLeast: Double?) {
        // Without automatic retries, so that only the server's own words ask for one.
        fixture.connect()
        fixture.lose(code: code)
        #expect((fixture.connection.connectionState == .reconnecting) == (atLeast != nil))
        guard let atLeast, let pause = fixture.timers.untilNext else { return }
        #expect(pause >= .seconds(atLeast) && (!(4200...4299).contains(code) || pause <= .seconds(1)))
    }

    // Proof of P12.
    @Test func `hazard 12 - each client has a log of its own`() {
        let other = Fixture()
        fixture.connect()
        other.receive(#"{"event":"e"}"#)
        #expect(!fixture.delegate.log.isEmpty && other.delegate.log.isEmpty)
    }
}
