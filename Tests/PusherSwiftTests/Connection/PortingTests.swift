import Foundation
import PusherProtocol
import Testing

@testable import PusherSwift

/// What existing apps do, and what servers other than Pusher's send, that no other test has.
struct PortingTests {
    private let fixture = Fixture(options: PusherClientOptions(authMethod: .inline(secret: "secret")))
    private let notebook = Notebook()

    @Test func `data of null are none, and a null as a property`() {
        fixture.pusher.subscribe("a")
        fixture.pusher.bind { [notebook] event in
            let property = event.property(withKey: "data").map { "\(type(of: $0))" } ?? "-"
            notebook.note("\(event.eventName) \(event.data ?? "nil") \(property)")
        }
        fixture.connect()
        fixture.receive(#"{"event":"pusher_internal:subscription_succeeded","channel":"a","data":null}"#)
        fixture.receive(#"{"event":"e","channel":"a","data":null}"#)
        fixture.receive(#"{"event":"e","channel":"a","data":"null"}"#)
        fixture.receive(#"{"event":"e","channel":"a"}"#)
        #expect(
            notebook.lines == ["pusher:subscription_succeeded {} String", "e nil NSNull", "e null String", "e nil -"])
    }

    @Test func `an encrypted channel's event with data of null is an event without data`() {
        let name = "private-encrypted-a"
        let fixture = Fixture()
        let auth = PusherAuth(auth: "k:s", sharedSecret: "iBvNoPVYwByqSfg6anjPpEQ2j051b3rt1Vmnb+z5doo=")
        fixture.pusher.subscribe(name, auth: auth).bind(eventName: "e") { [notebook] in notebook.note($0.data ?? "nil") }
        fixture.connect()
        fixture.confirm(name)
        fixture.receive(#"{"event":"e","channel":"\#(name)","data":null}"#)
        #expect(notebook.lines == ["nil"] && !fixture.delegate.lines.contains { $0.hasPrefix("undecryptable") })
    }

    // Reverb answers a client event that it will not take with 4200, and does not close.
    @Test func `an error 4200 is told when the link goes on, and is the status when it does not`() {
        let refusal = #"{"event":"pusher:error","data":"{\"code\":4200,\"message\":\"Invalid message format\"}"}"#
        fixture.connect()
        fixture.receive(refusal)
        fixture.receive(#"{"event":"e"}"#)
        #expect(fixture.delegate.lines.last == "error 4200: Invalid message format")
        let count = fixture.delegate.lines.count
        fixture.receive(refusal)
        fixture.lose()
        #expect(fixture.delegate.lines.suffix(from: count) == ["connected→reconnecting"])
    }

    @Test func `names and data in every script arrive as they were sent`() {
        let text = "цена 📈 \u{202E}é e\u{301} \"\\/\n\u{0}👩‍👩‍👧"
        fixture.pusher.subscribe("a").bind(eventName: "новая-цена-📈") { [notebook] in notebook.note($0.data ?? "nil") }
        fixture.connect()
        fixture.confirm("a")
        fixture.receive("новая-цена-📈", on: "a", text)
        fixture.receive(#"{"event":"новая-цена-\ud83d\udcc8","channel":"a","data":"\ud83d\udcc8"}"#)
        #expect(notebook.lines == [text, "📈"] && notebook.lines.first?.utf8.elementsEqual(text.utf8) == true)
    }

    @Test func `a message of almost a megabyte arrives whole`() {
        let text = String(repeating: "0123456789", count: 90_000)
        fixture.pusher.subscribe("a").bind(eventName: "e") { [notebook] in notebook.note($0.data ?? "nil") }
        fixture.connect()
        fixture.confirm("a")
        fixture.receive("e", on: "a", text)
        #expect(notebook.lines == [text])
    }

    @Test(
        arguments: [
            ("pusher_internal:subscription_succeeded", "{}"),
            ("pusher_internal:subscription_count", #"{"subscription_count":3}"#),
            ("pusher_internal:member_added", #"{"user_id":"1"}"#), ("pusher_internal:member_removed", #"{"user_id":"1"}"#),
            ("pusher:subscription_error", #"{"type":"AuthError","status":403}"#), ("pusher:cache_miss", "{}"), ("e", "1"),
            ("pusher_internal:something_new", "{}"),
        ])
    func `what is about a channel that nobody wants is dropped`(event: String, data: String) {
        fixture.pusher.bind { [notebook] in notebook.note($0.eventName) }
        fixture.connect()
        let before = fixture.delegate.lines
        fixture.receive(event, on: "presence-unknown", data)
        fixture.pusher.subscribe("presence-former")
        fixture.settle()
        fixture.pusher.unsubscribe("presence-former")
        fixture.receive(event, on: "presence-former", data)
        #expect(notebook.lines.isEmpty && fixture.delegate.lines == before)
        #expect(fixture.connection.connectionState == .connected)
    }

    @Test func `callbacks may subscribe, trigger and disconnect`() {
        let room = fixture.pusher.subscribe("private-a")
        room.bind(eventName: "pusher:subscription_succeeded") { [fixture] _ in
            room.trigger(eventName: "client-hello", data: "hi")
            fixture.pusher.subscribe("b").bind(eventName: "pusher:subscription_succeeded") { _ in fixture.pusher.disconnect() }
        }
        fixture.connect()
        fixture.confirm("private-a")
        #expect(
            fixture.sent.suffix(2) == [
                #"{"event":"client-hello","channel":"private-a","data":"hi"}"#,
                #"{"event":"pusher:subscribe","data":{"channel":"b"}}"#,
            ])
        fixture.confirm("b")
        #expect(fixture.delegate.lines.suffix(2) == ["subscribed b", "connected→disconnecting"])
    }

    @Test func `an app's own way of coming back works within the delegate's call`() {
        final class Returning: PusherDelegate, @unchecked Sendable {  // Set once, before anything happens.
            weak var pusher: Pusher?
            func changedConnectionState(from old: ConnectionState, to new: ConnectionState) {
                if new == .disconnected { pusher?.connect() }
            }
        }
        let fixture = Fixture(options: PusherClientOptions(autoReconnect: false))
        let delegate = Returning()
        delegate.pusher = fixture.pusher
        fixture.pusher.delegate = delegate
        fixture.connect()
        fixture.lose()
        #expect(fixture.connection.connectionState == .connecting && fixture.transport.dials == 2)
        fixture.greet()
        #expect(fixture.connection.connectionState == .connected)
    }

    @Test func `the last reference may go within a callback`() {
        final class Holder: @unchecked Sendable {  // Used on the callback queue only, but for the beginning.
            var pusher: Pusher?
        }
        let holder = Holder()
        weak var connection: PusherConnection?
        let transport = {
            let fixture = Fixture()
            holder.pusher = fixture.pusher
            connection = fixture.connection
            fixture.pusher.bind { _ in holder.pusher = nil }
            fixture.connect()
            fixture.receive(#"{"event":"e"}"#)
            return fixture.transport
        }()
        #expect(holder.pusher == nil && connection == nil && transport.live.isEmpty)
    }
}
