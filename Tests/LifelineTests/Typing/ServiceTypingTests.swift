import ChatProtocol
import HTTPTransport
import PubNubProtocol
import PusherProtocol
import Testing

@testable import Lifeline

@Suite("Typing indicators of each service (LL-123)", .timeLimit(.minutes(1)))
struct ServiceTypingTests {
    private static let word = #"{\"lifeline\":\"typing\",\"typing\":true}"#

    @Test func `LL-123: on Pusher's presence channels the service says who types`() async throws {
        let fixture = PusherFixture()
        try await fixture.connect()
        let room = try await fixture.client.channel("presence-room").subscribe()
        try await room.typing.keystroke()
        fixture.client.settle()
        let sent = try #require(fixture.texts.last)
        #expect(sent.contains(#""event":"client-lifeline-typing""#) && !sent.contains("user"))
        func receive(_ event: String, from user: String, _ data: String = Self.word) {
            fixture.receive(#"{"event":"\#(event)","channel":"presence-room","user_id":"\#(user)","data":"\#(data)"}"#)
        }
        let messages = room.messages
        receive("client-lifeline-typing", from: "ben", #"{\"lifeline\":\"typing\",\"typing\":true,\"user\":\"eve\"}"#)
        receive("client-lifeline-typing", from: "cat", "nonsense")
        // An event of the server with that name is none of a client's.
        receive("lifeline-typing", from: "dan")
        #expect(try room.typing.current == ["ben"])
        #expect(await messages.first { _ in true }?.event == "lifeline-typing")
        fixture.timers.advance(by: .seconds(6))
        #expect(try room.typing.current.isEmpty)
    }

    @Test func `LL-123: on Pusher's private channels the client says who it is, and has to know`() async throws {
        let fixture = PusherFixture(user: Member(id: "ann"))
        try await fixture.connect()
        let room = try await fixture.client.channel("private-room").subscribe()
        try await room.typing.keystroke()
        fixture.client.settle()
        #expect(fixture.texts.last?.contains(#""user":"ann""#) == true)
        for user in ["ben", "ann"] {
            let data = #"{\"lifeline\":\"typing\",\"typing\":true,\"user\":\"\#(user)\"}"#
            fixture.receive(#"{"event":"client-lifeline-typing","channel":"private-room","data":"\#(data)"}"#)
        }
        #expect(try room.typing.current == ["ben"])
        fixture.loseLink()
        fixture.timers.advance(by: .seconds(4))
        // LL-122: nothing is kept for a connection that comes later.
        let error = await #expect(throws: LifelineError.self) { try await room.typing.keystroke() }
        #expect(error?.code == .disconnected)
        let nobody = LifelineClient(.pusher(key: "key", access: .endpoint("http://127.0.0.1:1")))
        #expect(!nobody.channel("private-room").supports(.typing) && nobody.channel("presence-room").supports(.typing))
    }

    @Test func `LL-123: PubNub's signals tell of others, by their own channel, while they are new`() async throws {
        let http = ScriptedHTTP {
            .success(HTTPCallAnswer(status: 200, body: Array(#"[1,"Sent","17"]"#.utf8), url: $0.url))
        }
        let fixture = PubNubFixture(presence: false, http: http)
        try await fixture.connect()
        let room = try await fixture.client.channel("room").subscribe()
        let all = try await fixture.client.channel("rooms.*").subscribe()
        try await room.typing.keystroke()
        let call = try #require(fixture.http.sent.last)
        #expect(call.method == "GET" && call.url.contains("/signal/pub/sub/0/room/0/%7B%22lifeline%22"))
        let word = TypingSignal(isTyping: true).json
        let messages = room.messages
        // The first is 7 s older than the answer's end.
        fixture.publish(
            PubNubFixture.message(word, 1_001, publisher: "old", kind: .signal),
            PubNubFixture.message(word, 70_001_001, kind: .signal),
            PubNubFixture.message(word, 70_001_002, publisher: "ann", kind: .signal),
            PubNubFixture.message(word, 70_001_003, publisher: nil, kind: .signal),
            // What has no such form, or is no signal, is a message.
            PubNubFixture.message(word, 70_001_004, publisher: "dan"),
            PubNubFixture.message("3", 70_001_005, publisher: "dan", kind: .signal))
        #expect(try room.typing.current == ["ben"])
        var told: [String] = []
        for await message in messages.prefix(2) { told.append("\(message.event) \(message.data)") }
        #expect(told == ["message \(word)", "signal 3"])
        fixture.publish(PubNubFixture.message(word, 70_001_006, publisher: "cat", kind: .signal))
        #expect(try room.typing.current == ["ben", "cat"])
        #expect(!all.channel.supports(.typing))
        let error = #expect(throws: LifelineError.self) { _ = try all.typing }
        #expect(error?.code == .badRequest)
    }

    @Test func `LL-123: chat tells of direct channels by its own notification, and not of having stopped`() async throws {
        let fixture = ChatFixture()
        try await fixture.connect()
        let room = try await fixture.client.channel("direct:ben").subscribe()
        try await room.typing.keystroke()
        try await room.typing.stop()
        fixture.client.settle()
        let told = fixture.server.frames.filter { if case .typing(to: "ben", type: "RC:TxtMsg") = $0 { true } else { false } }
        #expect(told.count == 1)
        for from in ["ben", "ann", "eve"] {
            let event = ChatWireEvent.typing(from: from, to: "ann", type: "RC:TxtMsg", time: 1)
            fixture.receive(ChatServerFrames.transient(event.body))
        }
        #expect(try room.typing.current == ["ben"])
        for name in ["room", "group:team", "system:news"] {
            let error = #expect(throws: LifelineError.self) { try fixture.client.core.adapter.check(.typing, of: name) }
            #expect(error == .unsupported(feature: "typing indicator outside of direct channels", service: "Nexconn Chat"))
        }
    }
}
