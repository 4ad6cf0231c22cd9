import Dispatch
import PusherProtocol
import Testing

@testable import PusherSwift

/// Rules PA-3, PA-17 and PA-18.
struct ChannelTableTests {
    private let fixture = Fixture()

    @Test func `the same name gives the same object`() {
        let channel = fixture.pusher.subscribe("a")
        #expect(fixture.pusher.subscribe("a") === channel)
        #expect(fixture.pusher.subscribe(channelName: "a") === channel)
        #expect(fixture.connection.channels.find(name: "a") === channel)
        #expect(fixture.connection.channels.channels.count == 1)
    }

    @Test func `what is given again replaces what was given before`() {
        let notebook = Notebook()
        let channel = fixture.pusher.subscribe(
            "presence-a", auth: PusherAuth(auth: "1"), onMemberAdded: { _ in notebook.note("old") })
        fixture.pusher.subscribe(
            "presence-a", auth: PusherAuth(auth: "2"), onMemberAdded: { _ in notebook.note("new") })
        fixture.pusher.subscribe("presence-a")
        #expect(channel.auth?.auth == "2")
        fixture.deliver(.memberAdded(channel: "presence-a", PusherMember(userID: "1")))
        #expect(notebook.lines == ["new"])
    }

    @Test func `subscribing to a presence channel gives its own type either way`() {
        let channel = fixture.pusher.subscribe("presence-a")
        #expect(channel is PusherPresenceChannel)
        #expect(fixture.pusher.subscribeToPresenceChannel(channelName: "presence-a") === channel)
        #expect(fixture.pusher.subscribeToPresenceChannel("presence-a") === channel)
    }

    @Test func `a channel that is no presence channel does not trap`() {
        let notebook = Notebook()
        fixture.pusher.subscribe("a").bind(eventName: "e") { _ in notebook.note("e") }
        let channel = fixture.pusher.subscribeToPresenceChannel(channelName: "a")
        fixture.deliver(.message("e", "a"))
        #expect(notebook.lines == ["e"] && fixture.connection.channels.find(name: "a") === channel)
        #expect(fixture.connection.channels.findPresence(name: "b") == nil)
    }

    @Test func `unsubscribing is visible at once`() {
        let channel = fixture.pusher.subscribe("a")
        fixture.deliver(.subscribed("a"))
        #expect(channel.subscribed)
        fixture.pusher.unsubscribe("a")
        #expect(!channel.subscribed && fixture.connection.channels.find(name: "a") == nil)
        fixture.pusher.unsubscribe("a")
        fixture.pusher.unsubscribe("unknown")
    }

    @Test func `unsubscribing from all leaves none`() {
        for name in ["a", "private-b", "presence-c"] { fixture.pusher.subscribe(name) }
        fixture.pusher.unsubscribeAll()
        #expect(fixture.connection.channels.channels.isEmpty)
    }

    @Test func `no event of a channel comes after it was unsubscribed`() {
        let notebook = Notebook()
        let channel = fixture.pusher.subscribe("a")
        channel.bind(eventName: "e") { [fixture] event in
            notebook.note(event.data ?? "-")
            fixture.pusher.unsubscribe("a")
        }
        fixture.deliver(.message("e", "a", "1"), .message("e", "a", "2"))
        #expect(notebook.lines == ["1"])
    }

    @Test func `what belongs to a former subscription does not reach its successor`() {
        let notebook = Notebook()
        fixture.pusher.subscribe("a")
        fixture.settle()
        fixture.queue.sync {
            fixture.pusher.unsubscribe("a")
            fixture.pusher.subscribe("a").bind(eventName: "e") { _ in notebook.note("e") }
            fixture.connection.deliver([
                .event(.subscribed("a")), .event(.subscriptionCount(channel: "a", 7)), .event(.message("e", "a")),
            ])
        }
        let successor = fixture.connection.channels.find(name: "a")
        #expect(successor?.subscribed == false && successor?.subscriptionCount == nil && notebook.lines.isEmpty)
        fixture.settle()
        fixture.deliver(.subscribed("a"), .message("e", "a"))
        #expect(successor?.subscribed == true && notebook.lines == ["e"])
        #expect(fixture.delegate.lines == ["subscribed a"])
    }

    // Proof of PA-28.
    @Test func `many threads may subscribe and unsubscribe`() {
        let pusher = fixture.pusher
        DispatchQueue.concurrentPerform(iterations: 2000) { number in
            let channel = pusher.subscribe("c\(number % 5)")
            channel.bind(eventName: "e") { _ in }
            if number % 3 == 0 { pusher.unsubscribe("c\(number % 5)") }
        }
        pusher.unsubscribeAll()
        #expect(pusher.connection.channels.channels.isEmpty)
    }

    // Proof of PA-3.
    @Test func `callbacks that hold their channel do not keep it alive`() {
        weak var channel: PusherPresenceChannel?
        do {
            let fixture = Fixture()
            let presence = fixture.pusher.subscribeToPresenceChannel("presence-a")
            presence.bind(eventName: "e") { _ in _ = presence.myId }
            presence.onMemberAdded = { _ in _ = presence.members }
            presence.onSubscriptionCountChanged = { _ in _ = presence.name }
            channel = presence
        }
        #expect(channel == nil)
    }
}
