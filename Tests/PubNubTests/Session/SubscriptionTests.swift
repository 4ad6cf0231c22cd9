import ConnectionEngine
import Dispatch
import EngineRuntime
import PubNubProtocol
import Testing

@testable import PubNub

/// The client on the real session: which statuses and messages follow from which answers, and what is asked next.
struct SubscriptionTests {
    @Test func `a subscription shakes hands, says connected and delivers`() {
        let fixture = SessionFixture()
        fixture.client.subscribeToChannels(["a"], withPresence: false)
        fixture.open()
        #expect(fixture.asked == "a tt=0")
        fixture.answer(15)
        #expect(fixture.asked == "a tt=15 tr=12")
        fixture.answer(16, .text("1"), .text("2"))
        #expect(fixture.asked == "a tt=16 tr=12")
        #expect(fixture.listener.lines == ["Connected [a]", "message a 1", "message a 2"])
    }

    @Test func `a lost poll is an unexpected disconnect, and catches up on return`() {
        let fixture = SessionFixture()
        fixture.subscribe("a")
        fixture.lose(.unexpectedDisconnect)
        #expect(fixture.listener.statuses.last?.retryDelay != nil)
        fixture.wait()
        #expect(fixture.asked == "a tt=0")
        fixture.answer(99)
        #expect(fixture.asked == "a tt=15 tr=12")
        fixture.answer(100, .text("missed"))
        #expect(
            fixture.listener.lines == [
                "Connected [a]", "Unexpected Disconnect ~ [a]", "Reconnected [a]", "message a missed",
            ])
    }

    @Test func `without catching up the gap is told`() {
        let fixture = SessionFixture { $0.catchUpOnSubscriptionRestore = false }
        fixture.subscribe("a")
        fixture.lose(.unexpectedDisconnect)
        fixture.wait()
        fixture.answer(99)
        #expect(fixture.asked == "a tt=99 tr=12")
        #expect(fixture.listener.lines.suffix(2) == ["Reconnected [a]", "gap a after 15"])
    }

    @Test func `after network trouble the service is asked for the time first`() {
        let fixture = SessionFixture()
        fixture.subscribe("a")
        fixture.lose(.networkUnavailable)
        fixture.wait()
        #expect(fixture.calls.last?.target.hasPrefix("/time/0") == true)
        fixture.answerCall(.failure(ConnectionFailure(.networkUnavailable, "Refused.")))
        fixture.wait()
        fixture.answerCall()
        fixture.answer(20)
        #expect(
            fixture.listener.lines == [
                "Connected [a]", "Unexpected Disconnect ~ [a]", "Unexpected Disconnect ~ [a]", "Reconnected [a]",
            ])
        #expect(fixture.listener.statuses.map(\.attempt) == [0, 1, 2, 0])
    }

    @Test func `a 403 heals after a grant`() throws {
        let fixture = SessionFixture()
        fixture.client.subscribeToChannels(["a"], withPresence: false)
        fixture.open()
        fixture.refuse(.http(403, .accessDenied, channels: ["a"]))
        fixture.wait()
        fixture.refuse(.http(403, .accessDenied, channels: ["a"]))
        fixture.client.setAuthToken("granted")
        fixture.wait()
        #expect(fixture.asked == "a tt=0 auth=granted")
        fixture.answer(15)
        #expect(fixture.listener.lines == ["Access Denied ! ~ [a]", "Access Denied ! ~ [a]", "Connected [a]"])
        let status = try #require(fixture.listener.statuses.first as? PNErrorStatus)
        #expect(status.errorData.channels == ["a"])
    }

    @Test func `a 403 whose retries are cancelled stays quiet until the next subscription`() {
        let fixture = SessionFixture()
        fixture.client.subscribeToChannels(["a"], withPresence: false)
        fixture.open()
        fixture.refuse(.http(403, .accessDenied))
        fixture.listener.statuses.last?.cancelAutomaticRetry()
        #expect(fixture.timers.untilNext == nil)
        #expect(fixture.transport.dials == 1)
        fixture.client.subscribeToChannels(["b"], withPresence: false)
        fixture.open()
        #expect(fixture.asked == "a,b tt=0")
        fixture.answer(15)
        #expect(fixture.listener.lines == ["Access Denied ! ~ [a]", "Connected [a,b]"])
    }

    @Test func `after a denial unsubscribing tells the service who has left (PX-52)`() {
        for cancels in [false, true] {
            let fixture = SessionFixture()
            fixture.client.subscribeToChannels(["a"], withPresence: false)
            fixture.open()
            fixture.refuse(.http(403, .accessDenied, channels: ["a"]))
            if cancels { fixture.listener.statuses.last?.cancelAutomaticRetry() }
            let dials = fixture.transport.dials
            fixture.client.unsubscribeFromChannels(["a"], withPresence: false)
            #expect(fixture.transport.dials == dials + 1)
            fixture.open()
            #expect(fixture.calls.last?.target.hasPrefix("/v2/presence/sub_key/sub/channel/a/leave") == true)
            fixture.answerCall()
            #expect(fixture.listener.lines == ["Access Denied ! ~ [a]", "Expected Disconnect (Unsubscribe)"])
            // Nothing is asked for any more.
            #expect(fixture.poll == nil)
        }
    }

    @Test func `what cannot be read of an answer is told, and the rest delivered (PX-50)`() throws {
        let fixture = SessionFixture()
        fixture.subscribe("a")
        fixture.answer(16, .text("1"), unreadable: 2)
        #expect(fixture.asked == "a tt=16 tr=12")
        #expect(fixture.listener.lines == ["Connected [a]", "message a 1", "Malformed Response ! [a]"])
        let status = try #require(fixture.listener.statuses.last as? PNErrorStatus)
        #expect(
            status.isError && status.operation == .subscribeOperation && status.errorData.information.hasPrefix("2 of") == true)
        fixture.answer(17, .text("2"))
        #expect(fixture.listener.lines.last == "message a 2")
    }

    @Test func `being connected by hand is announced at once, also without an interval (PX-31)`() {
        let fixture = SessionFixture {
            $0.managePresenceListManually = true
            $0.presenceHeartbeatInterval = 0
        }
        fixture.client.presence().connected(true).channels(["p"]).performWithCompletion(nil)
        fixture.open()
        fixture.answerCall()
        #expect(fixture.calls.last?.target.hasPrefix("/v2/presence/sub-key/sub/channel/p/heartbeat") == true)
    }

    @Test func `a listener may cancel inside the callback`() {
        let fixture = SessionFixture()
        let listener = fixture.listener
        listener.onLine { [weak listener] _ in listener?.statuses.last?.cancelAutomaticRetry() }
        fixture.subscribe("a")
        fixture.lose(.timeout)
        #expect(fixture.timers.untilNext == nil)
        #expect(listener.lines == ["Connected [a]", "Unexpected Disconnect ~ [a]"])
    }

    @Test func `a malformed filter stops until it is changed`() {
        let fixture = SessionFixture()
        fixture.client.filterExpression = "a =="
        fixture.client.subscribeToChannels(["a"], withPresence: false)
        fixture.open()
        fixture.refuse(.http(481, .malformedFilter))
        #expect(fixture.timers.untilNext == nil)
        fixture.client.filterExpression = "a==1"
        fixture.open()
        #expect(fixture.asked == "a tt=0 filter-expr=a%3D%3D1")
        fixture.answer(15)
        #expect(fixture.listener.lines == ["Malformed Filter Expression ! [a]", "Connected [a]"])
    }

    @Test func `a changed list goes on from where it stood`() {
        let fixture = SessionFixture()
        fixture.subscribe("a")
        fixture.client.subscribeToChannels(["b"], withPresence: false)
        #expect(fixture.asked == "a,b tt=0")
        fixture.answer(30)
        #expect(fixture.asked == "a,b tt=15 tr=12")
        fixture.client.subscribeToChannels(["c"], withPresence: false, usingTimeToken: 5)
        fixture.answer(40)
        #expect(fixture.asked == "a,b,c tt=5 tr=12")
        #expect(fixture.listener.lines == ["Connected [a]", "Connected [a,b]", "Connected [a,b,c]"])
    }

    @Test func `the same list again is a forced reconnect`() {
        let fixture = SessionFixture()
        fixture.subscribe("a")
        fixture.client.subscribeToChannels([], withPresence: false)
        #expect(fixture.asked == "a tt=0")
        fixture.answer(16)
        #expect(fixture.listener.lines == ["Connected [a]", "Connected [a]"])
        #expect(fixture.transport.dials == 1)
    }

    @Test func `unsubscribing leaves, says so and goes on without a handshake`() {
        let fixture = SessionFixture()
        fixture.subscribe("a", "b")
        fixture.client.unsubscribeFromChannels(["a"], withPresence: false)
        #expect(fixture.calls.last?.target.hasPrefix("/v2/presence/sub_key/sub/channel/a/leave") == true)
        #expect(fixture.asked == "b tt=15 tr=12")
        fixture.answer(16, .text("1", on: "b"))
        #expect(fixture.listener.lines == ["Connected [a,b]", "Expected Disconnect (Unsubscribe)", "message b 1"])
    }

    @Test func `unsubscribing from all ends the connection`() async {
        let fixture = SessionFixture()
        fixture.subscribe("a")
        let status = await withCheckedContinuation { done in
            fixture.client.unsubscribeFromAll { done.resume(returning: $0) }
        }
        #expect(status.category == .PNDisconnectedCategory)
        #expect(fixture.saidGoodbye)
        #expect(fixture.listener.lines == ["Connected [a]", "Expected Disconnect (Unsubscribe)"])
        fixture.client.subscribeToChannels(["b"], withPresence: false)
        fixture.open()
        #expect(fixture.asked == "b tt=0")
    }

    @Test func `without restoring the list is forgotten at the loss`() {
        let fixture = SessionFixture { $0.restoreSubscription = false }
        fixture.subscribe("a")
        fixture.lose(.networkUnavailable)
        #expect(fixture.listener.lines == ["Connected [a]", "Unexpected Disconnect [a]"])
        #expect(fixture.client.channels().isEmpty)
        #expect(fixture.timers.untilNext == nil)
    }

    @Test func `retries end where the policy says`() {
        let fixture = SessionFixture { $0.retryPolicy = PNRetryPolicy(maximumRetries: 1) }
        fixture.subscribe("a")
        fixture.lose(.unexpectedDisconnect)
        fixture.wait()
        fixture.lose(.unexpectedDisconnect)
        #expect(
            fixture.listener.lines == ["Connected [a]", "Unexpected Disconnect ~ [a]", "Unexpected Disconnect [a]"])
        #expect(fixture.timers.untilNext == nil)
    }

    @Test func `a full answer is told before its messages`() {
        let fixture = SessionFixture { $0.requestMessageCountThreshold = 2 }
        fixture.subscribe("a")
        fixture.answer(16, .text("1"), .text("2"))
        #expect(fixture.listener.lines == ["Connected [a]", "Message Count Exceeded [a]", "message a 1", "message a 2"])
    }

    @Test func `heartbeats follow the presence timeout`() {
        let fixture = SessionFixture {
            $0.presenceHeartbeatValue = 20
            $0.presenceHeartbeatInterval = 9
            $0.heartbeatNotificationOptions = .notifyAll
        }
        fixture.subscribe("a")
        fixture.timers.advance(by: .seconds(9))
        #expect(fixture.calls.last?.target.hasPrefix("/v2/presence/sub-key/sub/channel/a/heartbeat?heartbeat=20") == true)
        fixture.answerCall()
        #expect(fixture.listener.lines == ["Connected [a]", "Acknowledgment (Heartbeat)"])
    }

    @Test func `releasing the client ends everything`() {
        var fixture: SessionFixture? = SessionFixture()
        fixture?.subscribe("a")
        let (transport, timers) = (fixture?.transport, fixture?.timers)
        weak let client = fixture?.client
        fixture = nil
        #expect(client == nil)
        #expect(transport?.live.isEmpty == true)
        #expect(timers?.runningCount == 0)
    }

    @Test func `a copy with the same user goes on where the former stood, without leaving`() throws {
        let fixture = SessionFixture()
        fixture.subscribe("a")
        fixture.client.filterExpression = "x"
        fixture.answer(20)
        let copies = Copies()
        fixture.client.copyWithConfiguration(fixture.client.currentConfiguration()) { copies.add($0) }
        let copy = try #require(copies.all.first)
        fixture.open()
        fixture.answer(30)
        #expect(fixture.asked == "a tt=15 filter-expr=x tr=12" || fixture.asked == "a tt=15 tr=12 filter-expr=x")
        #expect(fixture.calls.isEmpty)
        #expect(copy.isSubscribed(on: "a") && !fixture.client.isSubscribed(on: "a"))
        #expect(fixture.listener.lines == ["Connected [a]", "Connected [a]", "Connected [a]"])
    }

    @Test func `PK-36: messages that wait for the callback queue when a client is copied arrive, once`() {
        let queue = DispatchQueue(label: "callbacks")
        let fixture = SessionFixture(queue: .queue(queue))
        fixture.subscribe("a")
        queue.suspend()
        fixture.answer(16, .text("1"))
        let copies = Copies()
        fixture.client.copyWithConfiguration(fixture.client.currentConfiguration()) { copies.add($0) }
        fixture.open()
        #expect(fixture.asked.hasPrefix("a tt=0"))
        fixture.answer(20)
        #expect(fixture.asked.hasPrefix("a tt=16"))
        fixture.answer(21, .text("2"))
        queue.resume()
        // Twice, because what was told while a block ran follows in another one.
        queue.sync {}
        queue.sync {}
        #expect(fixture.listener.lines == ["Connected [a]", "message a 1", "Connected [a]", "message a 2"])
        #expect(fixture.client.listeners.present.isEmpty && copies.all.count == 1)
    }
}
