import ChatProtocol
import Testing
import WireCoding

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Webhooks of chat applications (NV-40 to NV-46)", .timeLimit(.minutes(2)))
struct ChatWebhookTests {
    private func withReceiver(
        _ manner: WebhookReceiver.Manner = .answer(200), _ body: (LifelineServer, WebhookReceiver) async throws -> Void
    ) async throws {
        let receiver = try await WebhookReceiver.start(manner)
        let url = receiver.url
        try await withChatServer(.with { $0.webhook = url }) { server in try await body(server, receiver) }
        await receiver.stop()
    }

    /// The data of all posts of a type that were answered.
    private func items(_ type: String, _ receiver: WebhookReceiver) -> [JSONValue] {
        receiver.posts.filter { $0.body["type"]?.string == type }.flatMap(\.items)
    }

    private func words(_ receiver: WebhookReceiver) -> [String] {
        items("message:send", receiver).compactMap { item in
            item["content"]?.string.flatMap { try? JSONValue(parsing: $0) }?["content"]?.string
        }
    }

    @Test("Connecting, losing, leaving and logging out are told with who, where and when")
    func statuses() async throws {
        try await withReceiver { server, receiver in
            for end in ["lose", "leave", "logout"] {
                let client = try await server.device(end, "phone")
                switch end {
                case "leave": try await client.send(#"{"t":"leave"}"#)
                case "logout": try await client.send(#"{"t":"leave","disablePush":true}"#)
                default: await client.closeSocket()
                }
            }
            try await eventually("all is told") { items("user:connection_status", receiver).count == 6 }
            let all = items("user:connection_status", receiver)
            for (user, last) in [("lose", "1"), ("leave", "1"), ("logout", "2")] {
                let own = all.filter { $0["userId"]?.string == user }
                #expect(own.map { $0["status"]?.string } == ["0", last])
                #expect(own.first?["os"]?.string == "Linux")
                #expect(own.first?["time"]?.integer ?? 0 > 0)
                #expect(own.first?["clientIp"]?.string?.hasPrefix("127.0.0.1:") == true)
                #expect(own.first?["sessionId"]?.string?.isEmpty == false)
                #expect(own.first?["sessionId"] == own.last?["sessionId"])
            }
        }
    }

    @Test("A post is an envelope, signed like calls of the server API")
    func envelope() async throws {
        try await withReceiver { server, receiver in
            let client = try await server.device("a")
            try await client.say("hello", to: "b", cid: "c-1", #","meta":{"k":"v"}"#)
            try await eventually("it is told") { words(receiver) == ["hello"] }
            for post in receiver.posts {
                #expect(post.fields["method"] == "POST")
                #expect(post.fields["content-type"] == "application/json")
                #expect(post.fields["app-key"] == "app-key")
                let nonce = try #require(post.fields["nonce"])
                let timestamp = try #require(post.fields["timestamp"])
                let signature = try #require(post.fields["signature"])
                #expect(
                    ChatServerSignature.isValid(signature, secret: "app-secret", nonce: nonce, timestamp: timestamp))
                #expect(post.body["id"]?.string?.isEmpty == false)
                #expect(post.body["time"]?.integer ?? 0 > 0)
            }
            #expect(Set(receiver.posts.compactMap { $0.body["id"]?.string }).count == receiver.posts.count)
            let message = try #require(items("message:send", receiver).first)
            #expect(message["fromUserId"]?.string == "a")
            #expect(message["targetId"]?.string == "b")
            #expect(message["channelType"]?.string == "PERSON")
            #expect(message["messageType"]?.string == "RC:TxtMsg")
            #expect(message["clientMessageId"]?.string == "c-1")
            #expect(message["metadata"]?["k"]?.string == "v")
            #expect(ChatMessageID(message["messageId"]?.string ?? "")?.time == message["sentTime"]?.integer.map(Int64.init))
        }
    }

    @Test("A receiver that fails and recovers gets everything, once and in each user's order")
    func recovery() async throws {
        for manner in [WebhookReceiver.Manner.answer(500), .hangUp] {
            try await withReceiver(manner) { server, receiver in
                let a = try await server.device("a")
                for number in 1...20 { try await a.say("\(number)", to: "b", cid: "\(number)") }
                try await eventually("it was tried twice") { receiver.posts.count >= 2 }
                // The same batch with the same id.
                #expect(Set(receiver.posts.compactMap { $0.body["id"]?.string }).count == 1)
                let failed = receiver.posts.count
                receiver.set(.answer(204))
                try await eventually("all is told") { server.statistics.webhookEvents == 21 }
                let told = receiver.posts.dropFirst(failed - 1).filter { $0.body["type"]?.string == "message:send" }
                let numbers = told.flatMap(\.items).compactMap { $0["clientMessageId"]?.string }
                #expect(numbers == (1...20).map(String.init))
                #expect(server.statistics.webhookEventsDropped == 0)
            }
        }
    }

    @Test("A receiver that refuses for good loses the batch, and gets the next one")
    func refusal() async throws {
        try await withReceiver(.answer(403)) { server, receiver in
            let a = try await server.device("a")
            try await eventually("it is given up") { server.statistics.webhookEventsDropped == 1 }
            receiver.set(.answer(200))
            try await a.say("next", to: "b", cid: "1")
            try await eventually("the next one is told") { words(receiver) == ["next"] }
        }
    }

    @Test("A receiver that hangs holds nobody up, neither messages nor the end of the server")
    func hanging() async throws {
        let receiver = try await WebhookReceiver.start(.hang)
        let url = receiver.url
        var configuration = ServerConfiguration(port: 0, chatApplications: [.with { $0.webhook = url }])
        configuration.drainTimeout = .seconds(5)
        let server = try await LifelineServer.start(configuration)
        let a = try await server.device("a")
        let b = try await server.device("b")
        for number in 1...50 {
            try await a.say("\(number)", to: "b", cid: "\(number)")
            #expect(try await b.expectEvent("msg").words == "\(number)")
        }
        for client in [a, b] { await client.closeSocket() }
        try await server.stop()
        #expect(server.statistics.webhookEvents == 0)
        #expect(server.statistics.webhookEventsDropped >= 52)
        await receiver.stop()
    }

    @Test("What waits is told before the server has stopped")
    func flushing() async throws {
        let receiver = try await WebhookReceiver.start(.answer(503))
        let url = receiver.url
        let server = try await LifelineServer.start(
            ServerConfiguration(port: 0, chatApplications: [.with { $0.webhook = url }]))
        let a = try await server.device("a")
        try await a.say("last words", to: "b", cid: "1")
        await a.closeSocket()
        try await eventually("it was tried") { !receiver.posts.isEmpty }
        receiver.set(.answer(200))
        try await server.stop()
        #expect(words(receiver) == ["last words"])
        #expect(items("user:connection_status", receiver).compactMap { $0["status"]?.string }.last == "1")
        #expect(server.statistics.webhookEventsDropped == 0)
        await receiver.stop()
    }

    @Test("What the application's server sends itself is not told back")
    func ownMessages() async throws {
        try await withReceiver { server, receiver in
            let a = try await server.device("a")
            let draft = ChatMessageDraft(clientID: "", conversation: .direct, to: "a", type: "t", content: Array("{}".utf8))
            _ = try await server.chat.answer(.send(draft), by: .server(user: "robot"))
            try await a.expectEvent("msg")
            try await a.say("mine", to: "b", cid: "1")
            try await eventually("the user's is told") { words(receiver) == ["mine"] }
            #expect(items("message:send", receiver).count == 1)
        }
    }
}
