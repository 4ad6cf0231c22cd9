import Foundation
import Testing

@testable import PusherSwift

/// Subscriptions and events, through the real session on a scripted socket. Rules PA-4 and PA-18 to PA-26.
struct SubscribingTests {
    private let fixture = Fixture(options: PusherClientOptions(authMethod: .inline(secret: "secret")))
    private let notebook = Notebook()

    private static let subscribeA = #"{"event":"pusher:subscribe","data":{"channel":"a"}}"#

    // Proof of U4.
    @Test func `subscribing sends exactly one frame, before as after connecting`() {
        fixture.connect()
        let channel = fixture.pusher.subscribe("a")
        fixture.pusher.subscribe("a")
        #expect(fixture.sent == [Self.subscribeA] && channel.eventHandlers.isEmpty)
        let early = Fixture()
        early.pusher.subscribe("a")
        early.connect()
        #expect(early.sent == [Self.subscribeA])
    }

    // Proof of U4.
    @Test(arguments: ["a", "private-a", "presence-a"])
    func `a confirmation reaches callbacks and delegate`(name: String) {
        let channel = fixture.pusher.subscribe(name)
        channel.bind(eventName: "pusher:subscription_succeeded") { [notebook] _ in notebook.note("channel") }
        fixture.pusher.bind { [notebook] in notebook.note("global \($0.channelName ?? "-")") }
        fixture.connect()
        #expect(!channel.subscribed)
        fixture.confirm(name, #"{"presence":{"count":0,"ids":[],"hash":{}}}"#)
        #expect(channel.subscribed && notebook.lines == ["global \(name)", "channel"])
        #expect(fixture.delegate.lines.last == "subscribed \(name)")
    }

    // Proof of PA-19.
    @Test func `a confirmation needs no data`() {
        let channel = fixture.pusher.subscribe("a")
        fixture.connect()
        fixture.confirm("a", nil)
        #expect(channel.subscribed && fixture.delegate.lines.last == "subscribed a")
    }

    // Proof of PA-18.
    @Test func `unsubscribing works before and after the confirmation`() {
        fixture.connect()
        fixture.pusher.subscribe("a")
        fixture.pusher.unsubscribe("a")
        fixture.pusher.subscribe("b")
        fixture.confirm("b")
        fixture.pusher.unsubscribe("b")
        #expect(fixture.sent.filter { $0.contains("unsubscribe") }.count == 2)
        #expect(fixture.sent.last == #"{"event":"pusher:unsubscribe","data":{"channel":"b"}}"#)
        fixture.lose()
        fixture.timers.advanceToNext()
        fixture.greet()
        #expect(fixture.sent.isEmpty)
    }

    @Test func `unsubscribing from all sends one frame each`() {
        fixture.connect()
        for name in ["a", "b"] {
            fixture.pusher.subscribe(name)
            fixture.confirm(name)
        }
        fixture.pusher.unsubscribeAll()
        #expect(fixture.sent.filter { $0.contains("pusher:unsubscribe") }.count == 2)
        #expect(fixture.connection.channels.channels.isEmpty)
    }

    @Test func `wanted channels are subscribed again on every connection`() {
        let channel = fixture.pusher.subscribe("a")
        fixture.connect()
        fixture.confirm("a")
        fixture.lose()
        #expect(!channel.subscribed)
        fixture.timers.advanceToNext()
        fixture.greet()
        #expect(fixture.sent == [Self.subscribeA])
        fixture.confirm("a")
        #expect(channel.subscribed && fixture.delegate.lines.filter { $0 == "subscribed a" }.count == 2)
        #expect(fixture.delegate.log.contains { $0.contains("Events may have been missed on channel a") })
    }

    @Test func `events reach global and channel callbacks with their fields`() {
        fixture.connect()
        let channel = fixture.pusher.subscribe("a")
        fixture.confirm("a")
        let note: (PusherEvent) -> Void = { [notebook] event in
            notebook.note("\(event.eventName) \(event.channelName ?? "-") \(event.data ?? "-") \(event.userId ?? "-")")
        }
        channel.bind(eventName: "e", eventCallback: note)
        fixture.pusher.bind(eventCallback: note)
        fixture.receive("e", on: "a", "plain text")
        fixture.receive(#"{"event":"e","channel":"a","data":{"an":"object"},"user_id":"u"}"#)
        fixture.receive(#"{"event":"e","data":"1"}"#)
        fixture.receive("e", on: "unknown", "1")
        #expect(
            notebook.lines == [
                "e a plain text -", "e a plain text -", #"e a {"an":"object"} u"#, #"e a {"an":"object"} u"#, "e - 1 -",
            ])
    }

    // Proof of U9.
    @Test func `presence members come from the confirmation and from changes, numbers as ids included`() {
        let channel = fixture.pusher.subscribeToPresenceChannel(
            channelName: "presence-a", onMemberAdded: { [notebook] in notebook.note("+\($0.userId)") },
            onMemberRemoved: { [notebook] in notebook.note("-\($0.userId)") })
        fixture.connection.userDataFetcher = { PusherPresenceChannelMember(userId: "123", userInfo: ["twitter": "h"]) }
        fixture.connect()
        fixture.confirm(
            "presence-a", #"{"presence":{"count":1,"ids":["123"],"hash":{"123":{"twitter":"h"}}}}"#)
        #expect(channel.me()?.userInfo as? [String: String] == ["twitter": "h"] && channel.myId == "123")
        fixture.receive("pusher_internal:member_added", on: "presence-a", #"{"user_id":100,"user_info":{"a":1}}"#)
        #expect(channel.findMember(userId: "100")?.userInfo as? [String: Int] == ["a": 1])
        fixture.receive("pusher_internal:member_removed", on: "presence-a", #"{"user_id":100}"#)
        #expect(notebook.lines == ["+100", "-100"] && channel.members.map(\.userId) == ["123"])
    }

    // Proof of PA-25.
    @Test func `after a reconnect the difference of members is told once`() {
        let channel = fixture.pusher.subscribeToPresenceChannel(
            channelName: "presence-a", onMemberAdded: { [notebook] in notebook.note("+\($0.userId)") },
            onMemberRemoved: { [notebook] in notebook.note("-\($0.userId)") })
        fixture.connect()
        fixture.confirm("presence-a", #"{"presence":{"count":2,"ids":["1","2"],"hash":{"1":null,"2":null}}}"#)
        fixture.lose()
        fixture.timers.advanceToNext()
        fixture.greet()
        fixture.confirm("presence-a", #"{"presence":{"count":2,"ids":["1","3"],"hash":{"1":null,"3":null}}}"#)
        #expect(notebook.lines == ["-2", "+3"] && channel.members.map(\.userId) == ["1", "3"])
    }

    @Test func `subscription counts arrive`() {
        let channel = fixture.pusher.subscribe("a", onSubscriptionCountChanged: { [notebook] in notebook.note("\($0)") })
        fixture.connect()
        fixture.confirm("a")
        fixture.receive("pusher_internal:subscription_count", on: "a", #"{"subscription_count":7}"#)
        #expect(notebook.lines == ["7"] && channel.subscriptionCount == 7)
    }

    // Proof of U8.
    @Test func `client events wait in order, then leave at once`() {
        let channel = fixture.pusher.subscribe("private-a")
        channel.trigger(eventName: "client-e", data: ["n": 1])
        fixture.connect()
        channel.trigger(eventName: "client-e", data: ["n": 2])
        #expect(!fixture.sent.contains { $0.contains("client-e") } && channel.unsentEvents.count == 2)
        fixture.confirm("private-a")
        channel.trigger(eventName: "client-e", data: "text")
        #expect(
            fixture.sent.suffix(3) == [
                #"{"event":"client-e","channel":"private-a","data":{"n":1}}"#,
                #"{"event":"client-e","channel":"private-a","data":{"n":2}}"#,
                #"{"event":"client-e","channel":"private-a","data":"text"}"#,
            ])
        #expect(channel.unsentEvents.isEmpty)
    }

    // Proof of U8.
    @Test func `on public channels nothing is written`() {
        fixture.connect()
        let channel = fixture.pusher.subscribe("a")
        fixture.confirm("a")
        channel.trigger(eventName: "client-e", data: [:])
        fixture.settle()
        #expect(fixture.sent == [Self.subscribeA])
        #expect(fixture.delegate.lines.last?.hasPrefix("error You must be subscribed to a private or presence") == true)
    }

    @Test func `more than a hundred waiting events are refused visibly`() {
        let channel = fixture.pusher.subscribe("private-a")
        for number in 0..<101 { channel.trigger(eventName: "client-\(number)", data: [:]) }
        fixture.settle()
        #expect(channel.unsentEvents.count == 100)
        #expect(fixture.delegate.lines.last?.contains("client-100 private-a") == true)
        fixture.connect()
        fixture.confirm("private-a")
        #expect(fixture.sent.filter { $0.contains("client-") }.count == 100)
    }

    @Test func `waiting events of a channel that fails are given up visibly`() {
        let fixture = Fixture()
        let channel = fixture.pusher.subscribe("private-a")
        channel.trigger(eventName: "client-e", data: [:])
        fixture.connect()
        #expect(channel.unsentEvents.isEmpty)
        #expect(fixture.delegate.lines.last?.hasSuffix("dropped, because the subscription failed: 1 private-a") == true)
        channel.trigger(eventName: "client-e", data: [:])
        fixture.settle()
        #expect(channel.unsentEvents.isEmpty && fixture.delegate.lines.last?.contains("Client event not sent") == true)
    }

    @Test func `a name that no server takes fails visibly`() {
        fixture.pusher.subscribe("not a name")
        fixture.settle()
        #expect(fixture.delegate.lines == ["failed not a name"])
        fixture.pusher.unsubscribe("not a name")
        #expect(fixture.connection.channels.channels.isEmpty)
    }

    @Test func `other events are sent as they are`() {
        fixture.connect()
        fixture.connection.sendEvent(event: "custom", data: ["a": 1])
        #expect(fixture.sent == [#"{"event":"custom","data":{"a":1}}"#])
    }
}
