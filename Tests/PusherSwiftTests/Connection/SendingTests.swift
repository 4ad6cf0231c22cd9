import Testing

@testable import PusherSwift

/// Rule PA-23: what cannot be sent is told.
struct SendingTests {
    private let fixture = Fixture(options: PusherClientOptions(authMethod: .inline(secret: "secret")))

    private var errors: [String] { fixture.delegate.lines.filter { $0.hasPrefix("error ") } }

    private func send(_ event: String = "custom") {
        fixture.connection.sendEvent(event: event, data: ["a": 1])
        fixture.settle()
    }

    @Test func `an event without a connection is told before, while and after there is one`() {
        send()
        fixture.pusher.connect()
        send()
        fixture.transport.report(.opened)
        send()
        let told = "error Event could not be sent: custom There is no connection to the server."
        #expect(errors == [told, told, told] && fixture.sent.isEmpty)
        fixture.greet()
        send()
        #expect(errors.count == 3 && fixture.sent == [#"{"event":"custom","data":{"a":1}}"#])
        fixture.lose()
        send()
        fixture.pusher.disconnect()
        send()
        #expect(errors == [told, told, told, told, told])
    }

    @Test func `an event is told as lost once nothing is tried any more`() {
        fixture.connect()
        fixture.lose(code: 4001)
        let before = errors.count
        send()
        #expect(errors.count == before + 1 && errors.last?.hasPrefix("error Event could not be sent: custom") == true)
    }

    @Test func `an event whose name is too long is told`() {
        fixture.connect()
        send(String(repeating: "e", count: 201))
        #expect(fixture.sent.isEmpty && errors.count == 1)
    }

    @Test(arguments: ["private", "presence"])
    func `a channel that only sounds private has no client events`(name: String) {
        let channel = fixture.pusher.subscribe(name)
        fixture.connect()
        fixture.confirm(name)
        channel.trigger(eventName: "client-e", data: [:])
        fixture.settle()
        #expect(errors == ["error You must be subscribed to a private or presence channel to send client events"])
    }
}
