import Dispatch
import NIOConcurrencyHelpers
import PusherProtocol
import Testing

@testable import PusherSwift

/// Rules PA-24 and PA-28.
struct BindingTests {
    private let fixture = Fixture()
    private let notebook = Notebook()

    // Proof of U11.
    @Test func `a new channel has a name and no callbacks`() {
        let channel = PusherChannel(name: "test-channel", connection: fixture.connection)
        #expect(channel.name == "test-channel" && channel.eventHandlers.isEmpty && !channel.subscribed)
        #expect(channel.connection === fixture.connection)
    }

    // Proof of U11, PA-28.
    @Test func `binding and unbinding keep the table exact`() {
        let channel = fixture.pusher.subscribe("a")
        let first = channel.bind(eventName: "e") { _ in }
        channel.bind(eventName: "e") { _ in }
        channel.bind(eventName: "f") { _ in }
        #expect(channel.eventHandlers["e"]?.count == 2)
        channel.unbind(eventName: "e", callbackId: first)
        channel.unbind(eventName: "e", callbackId: "unknown")
        channel.unbind(eventName: "unknown", callbackId: first)
        #expect(channel.eventHandlers["e"]?.count == 1)
        channel.unbindAll(forEventName: "e")
        #expect(channel.eventHandlers["e"]?.count == 0)
        #expect(channel.eventHandlers["f"]?.count == 1)
        channel.unbindAll()
        #expect(channel.eventHandlers.isEmpty)
    }

    // Proof of U4.
    @Test func `global callbacks are counted and forgotten`() {
        let first = fixture.pusher.bind { _ in }
        fixture.pusher.bind { _ in }
        #expect(fixture.connection.globalChannel.globalCallbacks.count == 2)
        fixture.pusher.unbind(callbackId: "unknown")
        fixture.pusher.unbind(callbackId: first)
        #expect(fixture.connection.globalChannel.globalCallbacks.count == 1)
        fixture.pusher.unbindAll()
        #expect(fixture.connection.globalChannel.globalCallbacks.isEmpty)
    }

    @Test func `callbacks are called in the order in which they were bound, global ones first`() {
        let channel = fixture.pusher.subscribe("a")
        for number in 0..<10 {
            channel.bind(eventName: "e") { [notebook] _ in notebook.note("c\(number)") }
            fixture.pusher.bind { [notebook] _ in notebook.note("g\(number)") }
        }
        fixture.deliver(.message("e", "a", "1"))
        #expect(notebook.lines == (0..<10).map { "g\($0)" } + (0..<10).map { "c\($0)" })
    }

    @Test func `all callbacks share one event`() {
        let channel = fixture.pusher.subscribe("a")
        for _ in 0..<2 {
            channel.bind(eventName: "e") { [notebook] event in notebook.note("\(ObjectIdentifier(event))") }
            fixture.pusher.bind { [notebook] event in notebook.note("\(ObjectIdentifier(event))") }
        }
        fixture.deliver(.message("e", "a", "1"))
        #expect(notebook.lines.count == 4 && Set(notebook.lines).count == 1)
    }

    @Test func `a channel's callbacks hear their own event only`() {
        let channel = fixture.pusher.subscribe("a")
        fixture.pusher.subscribe("b")
        channel.bind(eventName: "e") { [notebook] event in
            notebook.note("\(event.channelName ?? "-") \(event.data ?? "-")")
        }
        fixture.deliver(.message("f", "a", "1"), .message("e", "b", "2"), .message("e", "a", "3"), .message("e", nil, "4"))
        #expect(notebook.lines == ["a 3"])
    }

    @Test func `global callbacks hear events of all channels and of none`() {
        fixture.pusher.subscribe("a")
        fixture.pusher.bind { [notebook] event in notebook.note("\(event.channelName ?? "-") \(event.eventName)") }
        fixture.deliver(.message("e", "a"), .message("e"), .message("e", "unknown"))
        #expect(notebook.lines == ["a e", "- e"])
    }

    @Test func `a callback may bind and unbind`() {
        let channel = fixture.pusher.subscribe("a")
        channel.bind(eventName: "e") { [notebook] _ in
            notebook.note("first")
            channel.unbindAll(forEventName: "e")
            channel.bind(eventName: "e") { _ in notebook.note("second") }
        }
        fixture.deliver(.message("e", "a"), .message("e", "a"))
        #expect(notebook.lines == ["first", "second"])
    }

    // Proof of PA-28.
    @Test func `ten thousand callbacks bound and unbound from many threads leave nothing`() {
        let channel = fixture.pusher.subscribe("a")
        let pusher = fixture.pusher
        DispatchQueue.concurrentPerform(iterations: 10_000) { number in
            let id = channel.bind(eventName: "e\(number % 7)") { _ in }
            let global = pusher.bind { _ in }
            if number % 100 == 0 { channel.handleEvent(event: PusherEvent(PusherEnvelope(event: "e1"))) }
            channel.unbind(eventName: "e\(number % 7)", callbackId: id)
            pusher.unbind(callbackId: global)
        }
        #expect(channel.eventHandlers.isEmpty)
        #expect(pusher.connection.globalChannel.globalCallbacks.isEmpty)
    }

    @Test func `callbacks bound at the same time are all kept`() {
        let channel = fixture.pusher.subscribe("a")
        DispatchQueue.concurrentPerform(iterations: 1000) { _ in channel.bind(eventName: "e") { _ in } }
        #expect(channel.eventHandlers["e"]?.count == 1000)
    }

    @Test func `what a callback holds may call back when it is released`() {
        let channel = fixture.pusher.subscribe("a")
        let pusher = fixture.pusher
        func owner() -> CallingBack {
            CallingBack {
                channel.unbindAll()
                channel.onSubscriptionCountChanged = nil
                pusher.connection.userDataFetcher = nil
                pusher.unbindAll()
            }
        }
        var id = channel.bind(eventName: "e") { [owner = owner()] _ in _ = owner }
        channel.unbind(eventName: "e", callbackId: id)
        id = fixture.pusher.bind { [owner = owner()] _ in _ = owner }
        fixture.pusher.unbind(callbackId: id)
        for _ in 0..<2 {
            channel.onSubscriptionCountChanged = { [owner = owner()] _ in _ = owner }
            channel.bind(eventName: "e") { [owner = owner()] _ in _ = owner }
            channel.unbindAll(forEventName: "e")
            fixture.connection.userDataFetcher = { [owner = owner()] in
                _ = owner
                return PusherPresenceChannelMember(userId: "1")
            }
        }
        channel.unbindAll()
        #expect(channel.eventHandlers.isEmpty)
    }

    @Test func `what a channel holds may wait for another thread's call when the channel goes`() {
        let pusher = fixture.pusher
        let gone = NIOLockedValueBox(0)
        func hold(_ name: String) {
            let owner = CallingBack {
                let done = DispatchSemaphore(value: 0)
                DispatchQueue.global().async {
                    pusher.unsubscribe("nothing")
                    done.signal()
                }
                #expect(done.wait(timeout: .now() + 10) == .success, "the lock of the channels is held")
                gone.withLockedValue { $0 += 1 }
            }
            pusher.subscribe(name).bind(eventName: "e") { _ in _ = owner }
        }
        hold("a")
        pusher.unsubscribe("a")
        #expect(gone.withLockedValue { $0 } == 1)
        hold("b")
        pusher.unsubscribeAll()
        #expect(gone.withLockedValue { $0 } == 2)
        hold("c")
        fixture.connection.channels.channels = [:]
        #expect(gone.withLockedValue { $0 } == 3)
        hold("d")
        fixture.connection.channels = PusherChannels()
        #expect(gone.withLockedValue { $0 } == 4)
    }
}
