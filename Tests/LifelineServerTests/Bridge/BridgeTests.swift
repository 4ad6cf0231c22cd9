import ChatProtocol
import PusherProtocol
import ServerStorage
import Testing
import WireCoding

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("The bridge between the three services (BR)", .timeLimit(.minutes(2)))
struct BridgeTests {
    private func withBridge(
        _ bridge: Bridge? = Bridge(), _ body: (LifelineServer, TestClient, ChatTestClient, PollClient) async throws -> Void
    ) async throws {
        try await withChatServer(.development, { $0.bridge = bridge }) { server in
            let pusher = try await TestClient.connect(server)
            try await pusher.subscribe("room")
            let chat = try await server.device("u1")
            try await chat.done("open.enter", #""ch":"room""#)
            let pubnub = try await PollClient.connect(server)
            try await body(server, pusher, chat, pubnub)
        }
    }

    private func say(_ content: String, type: String = "RC:TxtMsg", cid: String = "c") -> String {
        #""cid":"\#(cid)","conv":"open","to":"room","type":"\#(type)","content":\#(content)"#
    }

    /// The next message of a channel, with its metadata.
    private func poll(_ client: PollClient, _ channel: String, _ cursor: String) async throws -> PollClient.Reply {
        try await client.get("/v2/subscribe/demo/\(channel)/0?tt=\(cursor)&uuid=u")
    }

    @Test("What is said in an open channel reaches both others (BR-1, BR-5, BR-6)")
    func fromChat() async throws {
        try await withBridge { _, pusher, chat, pubnub in
            let cursor = try await pubnub.handshake("room")
            try await chat.done("send", say(#"{"content":"hello"}"#))
            let event = try await pusher.expect("message")
            #expect(event.channel == "room" && event.data == #"{"content":"hello"}"# && event.userID == "u1")
            let message = try #require(try await poll(pubnub, "room", cursor).messages.first)
            #expect(message["d"]?.text == #"{"content":"hello"}"#)
            #expect(message["i"]?.string == "u1")
            #expect(message["u"]?["bridge"]?.string == "nexconn" && message["u"]?["event"]?.string == "message")
            try await chat.done("send", say(#"{"x":1}"#, type: "app:dice", cid: "d"))
            #expect(try await pusher.expect("app:dice").data == #"{"x":1}"#)
            try await chat.expectSilence()
        }
    }

    @Test("What Pusher publishes reaches both others, once (BR-2, BR-5, BR-7)")
    func fromPusher() async throws {
        try await withBridge { server, pusher, chat, pubnub in
            let cursor = try await pubnub.handshake("room")
            try server.publish(channel: "room", event: "message", data: #"{"content":"hi"}"#)
            let message = try await chat.hear("msg")
            #expect(message["type"]?.string == "RC:TxtMsg" && message.words == "hi")
            #expect(message["from"]?.string == "pusher" && message["bridge"]?.string == "pusher")
            let reply = try await poll(pubnub, "room", cursor)
            #expect(reply.payloads == [#"{"content":"hi"}"#])
            #expect(reply.messages.first?["u"]?["bridge"]?.string == "pusher")
            _ = try await pusher.expect("message")
            try server.publish(channel: "room", event: "price", data: "plain text")
            let text = try await chat.hear("msg")
            #expect(text["type"]?.string == "price" && text.words == "plain text")
            try server.publish(channel: "room", event: "price", data: "3")
            #expect(try await chat.hear("msg")["content"]?.text == #"{"value":3}"#)
            _ = try await pusher.expect("price")
            _ = try await pusher.expect("price")
            try await pusher.expectSilence()
            try await chat.expectSilence()
        }
    }

    @Test("What PubNub publishes reaches both others, in order (BR-3, BR-11)")
    func fromPubNub() async throws {
        try await withBridge { _, pusher, chat, pubnub in
            for number in 1...20 { try await pubnub.publish(#"{"content":"\#(number)"}"#, to: "room") }
            for number in 1...20 {
                let message = try await chat.hear("msg")
                #expect(message.words == "\(number)" && message["from"]?.string == "p" && message["bridge"]?.string == "pubnub")
                let event = try await pusher.expect("message")
                #expect(event.data == #"{"content":"\#(number)"}"# && event.userID == "p")
            }
            try await pubnub.publish(#""x""#, to: "room", "&custom_message_type=dice-roll")
            #expect(try await pusher.expect("dice-roll").data == #""x""#)
            #expect(try await chat.hear("msg")["type"]?.string == "dice-roll")
        }
    }

    @Test("What was carried is in the open channel's history, with where it came from (BR-8)")
    func history() async throws {
        try await withBridge { server, _, chat, _ in
            try server.publish(channel: "room", event: "message", data: #"{"content":"kept"}"#)
            try await chat.hear("msg")
            let late = try await server.device("late")
            let messages = try await late.done("open.enter", #""ch":"room""#)["messages"]?.array ?? []
            #expect(messages.compactMap(\.words) == ["kept"] && messages.first?["bridge"]?.string == "pusher")
        }
    }

    @Test(
        "Private, presence, encrypted and reserved channels are not carried (BR-4)",
        arguments: ["private-room", "presence-room", "private-encrypted-room", "private-cache-room", "room-pnpres", "#room"])
    func excluded(channel: String) async throws {
        try await withBridge { server, pusher, chat, pubnub in
            #expect(server.services.bridge?.accepts(channel: channel) == false)
            try await chat.done("open.enter", #""ch":"\#(channel)""#)
            try server.publish(channel: channel, event: "message", data: "{}")
            if !channel.hasSuffix("-pnpres"), !channel.hasPrefix("#") { try await pubnub.publish("{}", to: channel) }
            try await chat.done(
                "send", #""cid":"x","conv":"open","to":"\#(channel)","type":"t","content":{}"#)
            // The queue is in order: what follows comes first if nothing of it was carried.
            try server.publish(channel: "room", event: "end", data: "{}")
            _ = try await pusher.expect("end")
            #expect(try await chat.hear("msg")["type"]?.string == "end")
        }
    }

    @Test("Without the setting nothing is carried (BR-9)")
    func off() async throws {
        try await withBridge(nil) { server, pusher, chat, _ in
            #expect(server.services.bridge == nil)
            try await chat.done("send", say(#"{"content":"hello"}"#))
            try server.publish(channel: "room", event: "end", data: "{}")
            _ = try await pusher.expect("end")
            try await chat.expectSilence()
        }
    }

    @Test("Services and applications that are not named are left out (BR-10)")
    func others() async throws {
        try await withBridge(Bridge(applicationID: "other")) { server, pusher, chat, pubnub in
            try server.publish(channel: "room", event: "message", data: "{}")
            try await pubnub.publish("{}", to: "room", "&custom_message_type=end")
            #expect(try await chat.hear("msg")["type"]?.string == "end")
            _ = try await pusher.expect("message")
            try await pusher.expectSilence()
        }
        try await withBridge(Bridge(chatKey: nil)) { _, pusher, chat, pubnub in
            try await chat.done("send", say(#"{"content":"hello"}"#))
            try await pubnub.publish("{}", to: "room", "&custom_message_type=end")
            _ = try await pusher.expect("end")
            try await chat.expectSilence()
        }
    }

    @Test("What one service cannot carry still reaches the other (BR-13)")
    func limits() async throws {
        try await withBridge { server, pusher, chat, pubnub in
            let cursor = try await pubnub.handshake("room")
            // Pusher takes 10 KB.
            let large = #"{"content":"\#(String(repeating: "x", count: 12_000))"}"#
            try await chat.done("send", say(large))
            #expect(try await poll(pubnub, "room", cursor).payloads == [large])
            // Types have 32 characters.
            let event = String(repeating: "e", count: 33)
            try server.publish(channel: "room", event: event, data: "{}")
            try server.publish(channel: "room", event: "end", data: "{}")
            #expect(try await chat.hear("msg")["type"]?.string == "end")
            _ = try await pusher.expect(event)
        }
    }

    @Test("Carrying into an open channel that nobody made does no harm (BR-8)")
    func nobody() async throws {
        try await withBridge { server, pusher, chat, _ in
            try server.publish(channel: "elsewhere", event: "message", data: "{}")
            try server.publish(channel: "room", event: "message", data: "{}")
            try await chat.hear("msg")
            _ = try await pusher.expect("message")
            #expect(server.chat.read { $0.openChannels() } == ["room"])
        }
    }

    @Test("A bridge with a keyset that requires grants does not start unless it is said twice (BR-20)")
    func accessManager() async throws {
        var keyset = Keyset.development
        keyset.requiresGrants = true
        var configuration = ServerConfiguration(port: 0, keysets: [keyset], bridge: Bridge(), drainTimeout: .milliseconds(100))
        let error = await #expect(throws: ServerError.self) { _ = try await LifelineServer.start(configuration) }
        #expect(error == .unguardedBridge(subscribeKey: "demo"))
        #expect(error?.description.contains("ignoresAccessManager") == true)
        for bridge in [Bridge(ignoresAccessManager: true), Bridge(subscribeKey: nil), Bridge(subscribeKey: "other")] {
            configuration.bridge = bridge
            try await LifelineServer.start(configuration).stop()
        }
    }
}
