import Foundation
import Testing

@testable import PusherSwift

/// Channels that an app puts into the connection's table by itself. Rule PA-52.
struct TableReplacingTests {
    private let fixture = Fixture(options: PusherClientOptions(authMethod: .inline(secret: "secret")))
    private let notebook = Notebook()

    private func channel(_ name: String) -> PusherChannel {
        PusherChannel(name: name, connection: fixture.connection)
    }

    @Test func `a channel that is put in is subscribed, one that is taken out is not`() {
        fixture.connect()
        let channel = channel("a")
        fixture.connection.channels.channels["a"] = channel
        #expect(fixture.sent == [#"{"event":"pusher:subscribe","data":{"channel":"a"}}"#])
        fixture.confirm("a")
        #expect(channel.subscribed && fixture.connection.channels.find(name: "a") === channel)
        fixture.connection.channels.channels["a"] = nil
        #expect(fixture.sent.last == #"{"event":"pusher:unsubscribe","data":{"channel":"a"}}"#)
        #expect(!channel.subscribed)
        fixture.receive("e", on: "a", "late")
        #expect(fixture.delegate.lines.last == "subscribed a")
    }

    @Test func `another channel of the same name is subscribed anew`() {
        fixture.connect()
        fixture.pusher.subscribe("a")
        fixture.confirm("a")
        let channel = channel("a")
        channel.bind(eventName: "e") { [notebook] in notebook.note($0.data ?? "-") }
        fixture.connection.channels.channels["a"] = channel
        #expect(fixture.sent.count == 3 && !channel.subscribed)
        fixture.confirm("a")
        fixture.receive("e", on: "a", "1")
        #expect(channel.subscribed && notebook.lines == ["1"])
    }

    // Proof of U8.
    @Test func `a client event waits in a channel that was put in`() {
        let channel = channel("private-a")
        fixture.connection.channels.channels["private-a"] = channel
        channel.trigger(eventName: "client-e", data: ["n": 1])
        channel.trigger(eventName: "client-e", data: ["n": 2])
        #expect(channel.unsentEvents.map(\.name) == ["client-e", "client-e"] && fixture.sent.isEmpty)
        fixture.connect()
        fixture.confirm("private-a")
        #expect(
            fixture.sent.suffix(2) == [
                #"{"event":"client-e","channel":"private-a","data":{"n":1}}"#,
                #"{"event":"client-e","channel":"private-a","data":{"n":2}}"#,
            ])
        #expect(channel.unsentEvents.isEmpty)
    }

    @Test func `the whole table can be another connection's`() {
        let other = Pusher(key: "k")
        other.subscribe("b")
        other.subscribe("c")
        fixture.pusher.subscribe("a")
        fixture.connect()
        fixture.connection.channels = other.connection.channels
        #expect(fixture.connection.channels === other.connection.channels)
        #expect(
            fixture.sent.suffix(3) == [
                #"{"event":"pusher:unsubscribe","data":{"channel":"a"}}"#,
                #"{"event":"pusher:subscribe","data":{"channel":"b"}}"#,
                #"{"event":"pusher:subscribe","data":{"channel":"c"}}"#,
            ])
        fixture.confirm("b")
        fixture.connection.channels = other.connection.channels
        #expect(fixture.connection.channels.find(name: "b")?.subscribed == true && fixture.sent.count == 4)
    }

    @Test func `the global channel can be replaced`() throws {
        let other = Pusher(key: "k")
        other.bind { [notebook] in notebook.note("other \($0.eventName)") }
        fixture.pusher.bind { [notebook] in notebook.note("former \($0.eventName)") }
        let former = try #require(fixture.connection.globalChannel)
        fixture.connection.globalChannel = other.connection.globalChannel
        fixture.deliver(.message("e", nil, "1"))
        fixture.connection.globalChannel = nil
        let new = try #require(fixture.connection.globalChannel)
        #expect(new !== former && new.globalCallbacks.isEmpty && new === fixture.connection.globalChannel)
        fixture.pusher.bind { [notebook] in notebook.note("new \($0.eventName)") }
        fixture.deliver(.message("e", nil, "1"))
        #expect(notebook.lines == ["other e", "new e"])
    }

    @Test func `callbacks of another connection's channels outlive the one that was given its table`() {
        let other = Fixture()
        other.pusher.subscribe("b").bind(eventName: "e") { [notebook] in notebook.note($0.data ?? "-") }
        do {
            let brief = Fixture()
            brief.pusher.subscribe("c").bind(eventName: "e") { _ in }
            brief.connection.channels = other.connection.channels
        }
        #expect(other.connection.channels.find(name: "b")?.eventHandlers["e"]?.count == 1)
        other.deliver(.message("e", "b", "1"))
        #expect(notebook.lines == ["1"])
    }
}
