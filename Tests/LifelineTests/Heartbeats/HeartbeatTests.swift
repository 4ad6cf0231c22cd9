import ChatProtocol
import ConnectionEngine
import EngineTesting
import PubNubProtocol
import PusherProtocol
import Testing

@testable import Lifeline

@Suite("How long heartbeats take (LL-133)", .timeLimit(.minutes(1)))
struct HeartbeatTests {
    private let start = Moment(nanoseconds: 1_000_000_000)

    @Test func `LL-133: an answer counts for its heartbeat, once, and on its own connection`() {
        let meter = HeartbeatMeter()
        let (first, second) = (AttemptID(1), AttemptID(2))
        meter.sent(1, on: first, at: start)
        #expect(!meter.isWaiting)
        meter.began(first)
        for key in 1...3 as ClosedRange<UInt64> { meter.sent(key, on: first, at: start + .seconds(Int64(key))) }
        meter.answered(9, on: first, at: start + .seconds(9))
        #expect(meter.latest == nil && meter.isWaiting)
        meter.answered(2, on: first, at: start + .seconds(5))
        #expect(meter.latest == .seconds(3))
        meter.answered(1, on: first, at: start + .seconds(9))
        meter.answered(3, on: second, at: start + .seconds(9))
        #expect(meter.latest == .seconds(3))
        meter.ended(second)
        #expect(meter.latest == .seconds(3))
        meter.ended(first)
        #expect(meter.latest == nil && !meter.isWaiting)
        meter.began(second)
        for key in 0..<1_000 as Range<UInt64> { meter.sent(key, on: second, at: start) }
        meter.answered(1_000 - UInt64(HeartbeatMeter.mostWaiting) - 1, on: second, at: start)
        #expect(meter.latest == nil)
        meter.answered(1_000 - UInt64(HeartbeatMeter.mostWaiting), on: second, at: start)
        #expect(meter.latest == .zero)
    }

    @Test func `LL-133: Pusher's client measures its pings while it is silent, and nothing without a connection`() async throws {
        let fixture = PusherFixture()
        let latencies = fixture.client.heartbeatLatencies
        try await fixture.connect()
        #expect(fixture.client.heartbeatLatency == nil)
        // The fast timing asks after 2 s of silence.
        fixture.timers.advance(by: .seconds(2))
        fixture.client.settle()
        let pings = fixture.transport.sent.compactMap { if case .ping(let payload) = $0 { payload } else { nil } }
        let ping = try #require(pings.last)
        fixture.timers.advance(by: .milliseconds(30))
        fixture.transport.report(.received([.pong(ping)]))
        #expect(await latencies.first { _ in true } == .milliseconds(30))
        #expect(fixture.client.heartbeatLatency == .milliseconds(30))
        fixture.loseLink()
        #expect(fixture.client.heartbeatLatency == nil)
    }

    @Test func `LL-133: PubNub's heartbeat is a request for the time, and no other`() {
        let (base, timers, meter) = (ScriptedTransport<PubNubSession>(), ManualTimers(), HeartbeatMeter())
        let transport = HeartbeatTransport.pubnub(base, meter, now: { timers.now })
        let attempt = AttemptID(1)
        transport.open(HTTPEndpoint(host: "h", port: 80, usesTLS: false), attempt: attempt) { _ in }
        func exchange(_ id: UInt64, _ target: String) -> HTTPExchange {
            HTTPExchange(id: id, method: "GET", target: target, timeout: .seconds(1))
        }
        transport.send(.poll(exchange(1, "/v2/subscribe/sub/room/0?tt=1")), attempt: attempt)
        transport.send(.call(exchange(2, "/v2/presence/sub-key/sub/channel/time/leave")), attempt: attempt)
        #expect(!meter.isWaiting)
        transport.send(.call(exchange(3, "/time/0?uuid=ann")), attempt: attempt)
        timers.advance(by: .milliseconds(12))
        base.report(.received([LongPollInbound(id: 1, result: .failure(ConnectionFailure(.timeout, "Late.")))]))
        #expect(meter.latest == nil)
        base.report(.received([LongPollInbound(id: 3, result: .failure(ConnectionFailure(.timeout, "Late.")))]))
        #expect(meter.latest == nil)
    }

    @Test func `LL-133: chat's heartbeat is a ping`() {
        let (base, timers, meter) = (ScriptedTransport<ChatSession>(), ManualTimers(), HeartbeatMeter())
        let transport = HeartbeatTransport.chat(base, meter, now: { timers.now })
        let attempt = AttemptID(1)
        transport.open(WebSocketEndpoint(host: "h", port: 80, usesTLS: false, target: "/"), attempt: attempt) { _ in }
        transport.send(.ping(Array("7".utf8)), attempt: attempt)
        timers.advance(by: .milliseconds(12))
        base.report(.received([.pong(Array("x".utf8)), .pong(Array("6".utf8)), .pong(Array("7".utf8))]))
        #expect(meter.latest == .milliseconds(12))
        transport.close(attempt, reason: .abort)
        #expect(meter.latest == nil)
    }

    @Test func `LL-1: the latencies end with the client`() async {
        var client: LifelineClient? = scriptedClient().0
        let latencies = client?.heartbeatLatencies
        client = nil
        #expect(await latencies?.first { _ in true } == nil)
    }
}
