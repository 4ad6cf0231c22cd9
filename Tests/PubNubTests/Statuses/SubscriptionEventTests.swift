import ConnectionEngine
import PubNubProtocol
import Testing

@testable import PubNub

/// Unsubscribing, heartbeats, full answers and gaps (rules PK-24 to PK-32).
struct SubscriptionEventTests {
    private func subscribed(_ configure: (inout ConfigurationValues) -> Void = { _ in }) -> Fixture {
        let fixture = Fixture(configure: configure)
        fixture.client.subscribeToChannels(["a", "b"], withPresence: false)
        fixture.engine.confirm(PubNubList(channels: ["a", "b"]))
        fixture.engine.forgetLog()
        return fixture
    }

    @Test func `unsubscribing says disconnected and goes on with the rest`() {
        let fixture = subscribed()
        fixture.client.unsubscribeFromChannels(["a"], withPresence: true)
        #expect(fixture.engine.log == ["unsubscribe a,a-pnpres", "connect"])
        #expect(fixture.client.channels() == ["b"])
        fixture.engine.tell(
            .unsubscribed(PubNubList(channels: ["a"]), remaining: PubNubList(channels: ["b"])))
        #expect(fixture.listener.lines == ["Connected [a,b]", "Expected Disconnect (Unsubscribe)"])
        #expect(fixture.listener.statuses.last is PNAcknowledgmentStatus)
    }

    @Test func `unsubscribing from all tells listeners, then the completion`() {
        let fixture = subscribed()
        fixture.client.unsubscribeFromAll { status in
            fixture.listener.client(fixture.client, didReceive: status)
        }
        #expect(fixture.client.channels().isEmpty)
        fixture.engine.tell(.unsubscribed(PubNubList(channels: ["a", "b"]), remaining: PubNubList()))
        fixture.engine.completeAll()
        #expect(fixture.engine.log == ["unsubscribeAll"])
        #expect(
            fixture.listener.lines.suffix(2) == ["Expected Disconnect (Unsubscribe)", "Expected Disconnect (Unsubscribe)"])
    }

    @Test func `unsubscribing from nothing completes all the same`() {
        let fixture = Fixture()
        fixture.client.unsubscribeFromAll { fixture.listener.client(fixture.client, didReceive: $0) }
        #expect(fixture.engine.log.isEmpty)
        #expect(fixture.listener.lines == ["Expected Disconnect (Unsubscribe)"])
    }

    @Test func `subscribing to nothing says disconnected, to sequences too (PK-42), and asks nobody`() async {
        let fixture = Fixture()
        var statuses = fixture.client.statuses.makeAsyncIterator()
        fixture.client.subscribeToChannels([], withPresence: true)
        #expect(fixture.engine.log.isEmpty)
        #expect(fixture.listener.lines == ["Expected Disconnect []"])
        #expect(await statuses.next()?.category == .PNDisconnectedCategory)
    }

    @Test func `subscribing to the same or to nothing new asks afresh`() {
        let fixture = subscribed()
        fixture.client.subscribeToChannels(["a"], withPresence: false)
        fixture.client.subscribeToChannels([], withPresence: false)
        #expect(fixture.engine.log == ["subscribe a", "connect", "subscribe ", "connect"])
    }

    @Test func `a denied leave is told, other failures of it are not`() {
        let fixture = subscribed()
        fixture.engine.tell(.leaveFailed(.lost(.timeout)))
        fixture.engine.tell(.leaveFailed(.http(403, .accessDenied, channels: ["a"])))
        #expect(fixture.listener.lines == ["Connected [a,b]", "Access Denied ! (Unsubscribe)"])
    }

    @Test(arguments: [
        (PNHeartbeatNotificationOptions.notifyAll, ["Acknowledgment (Heartbeat)", "Timeout ! (Heartbeat)"]),
        (.notifySuccess, ["Acknowledgment (Heartbeat)"]), (.notifyFailure, ["Timeout ! (Heartbeat)"]), (.notifyNone, []),
    ])
    func `heartbeats are told as the options say`(options: PNHeartbeatNotificationOptions, lines: [String]) {
        let fixture = Fixture { $0.heartbeatNotificationOptions = options }
        fixture.engine.tell(.heartbeat(nil))
        fixture.engine.tell(.heartbeat(.lost(.timeout)))
        #expect(fixture.listener.lines == lines)
    }

    @Test func `a full answer is told before its messages`() throws {
        let fixture = subscribed()
        let batch = PubNubBatch([.text("1"), .text("2")])
        fixture.engine.tell(
            .messageCountExceeded(count: 2, previous: batch.previous, current: batch.current), .messages(batch))
        #expect(fixture.listener.lines.dropFirst() == ["Message Count Exceeded [a,b]", "message a 1", "message a 2"])
        let status = try #require(fixture.listener.statuses.last as? PNSubscribeStatus)
        #expect(status.lastTimeToken == 15 && status.currentTimetoken == 16 && !status.isError)
    }

    @Test func `a gap is told before the messages that follow it`() {
        let fixture = subscribed()
        fixture.engine.tell(
            .gap(PubNubList(channels: ["a"]), since: .zero, after: Timetoken(rawValue: 9)), .messages(PubNubBatch([.text("1")])))
        #expect(fixture.listener.lines.dropFirst() == ["gap a after 9", "message a 1"])
    }

    @Test func `a status before its message and one after it keep their places`() {
        let fixture = subscribed()
        fixture.engine.tell(
            .messages(PubNubBatch([.text("1")])), .heartbeat(.lost(.timeout)), .messages(PubNubBatch([.text("2")])))
        #expect(fixture.listener.lines.dropFirst() == ["message a 1", "Timeout ! (Heartbeat)", "message a 2"])
    }
}
