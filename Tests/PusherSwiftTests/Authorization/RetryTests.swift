import ConnectionEngine
import Testing

@testable import PusherSwift

/// What becomes of authorisations that fail. Rule PA-66; hazard 7 of the known ones.
struct RetryTests {
    private func fixture() -> Fixture {
        Fixture(options: PusherClientOptions(authMethod: .endpoint(authEndpoint: "http://localhost/a")))
    }

    // Proof of P12.
    @Test func `500, 500, 200 is a subscription in the end, and each failure is told with status and body`() {
        let fixture = fixture()
        let channel = fixture.pusher.subscribe("private-a")
        fixture.http.answer(500, "one")
        fixture.connect()
        fixture.http.answer(500, "two")
        fixture.timers.advance(by: .seconds(1.3))
        fixture.settle()
        fixture.http.answer(200, #"{"auth":"k:s"}"#)
        fixture.timers.advance(by: .seconds(2.6))
        fixture.settle()
        #expect(fixture.delegate.failures.map(\.status) == [500, 500])
        #expect(fixture.delegate.failures.map(\.data) == ["one", "two"])
        #expect(fixture.http.requests.count == 3)
        fixture.confirm("private-a")
        #expect(channel.subscribed)
    }

    @Test(arguments: [401, 403]) func `a denial is final, with the response and its body`(status: Int) {
        let fixture = fixture()
        fixture.http.answer(status, "go away")
        fixture.pusher.subscribe("private-a")
        fixture.connect()
        for _ in 0..<60 {
            fixture.timers.advance(by: .seconds(1))
            fixture.receive(#"{"event":"pusher:pong"}"#)
        }
        #expect(fixture.http.requests.count == 1)
        #expect(fixture.delegate.failures.map(\.status) == [status])
        #expect(fixture.delegate.failures.map(\.data) == ["go away"])
        // Asked again, it is tried again.
        fixture.http.answer(200, #"{"auth":"k:s"}"#)
        fixture.pusher.subscribe("private-a")
        fixture.settle()
        #expect(fixture.http.requests.count == 2)
    }
}
