import ChatProtocol
import NIOCore
import ServerStorage
import Testing
import WireCoding

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Sending chat messages (NV-17 to NV-20)", .timeLimit(.minutes(2)))
struct ChatSendTests {
    @Test("A message reaches the receiver with everything that the sender said")
    func arrives() async throws {
        try await withChatServer { server in
            let a = try await server.device("a")
            let b = try await server.device("b")
            let more = #","receipt":true,"meta":{"k":"v"},"quiet":true,"push":{"title":"t"}"#
            let answer = try await a.done("send", ChatTestClient.text("hello", to: "b", cid: "c-1", more))
            #expect(answer["q"] == nil)
            let message = try await b.expectEvent("msg")
            #expect(message["id"] == answer["id"])
            #expect(message["time"] == answer["time"])
            #expect(message["conv"]?.string == "direct")
            #expect(message["from"]?.string == "a")
            #expect(message["to"]?.string == "b")
            #expect(message["type"]?.string == "RC:TxtMsg")
            #expect(message["content"]?.text == #"{"content":"hello"}"#)
            #expect(message["cid"]?.string == "c-1")
            #expect(message["receipt"]?.bool == true)
            #expect(message["meta"]?["k"]?.string == "v")
            #expect(message["quiet"]?.bool == true)
            #expect(message["push"]?["title"]?.string == "t")
            try await a.expectSilence()
            #expect(server.statistics.chatMessages == 1)
        }
    }

    @Test("A client id that comes again gets the same answer, also on the next connection, and is delivered once")
    func idempotent() async throws {
        try await withChatServer { server in
            let a = try await server.device("a")
            let b = try await server.device("b")
            let first = try await a.say("once", to: "b", cid: "same")
            #expect(try await a.say("once", to: "b", cid: "same") == first)
            await a.closeSocket()
            let again = try await server.device("a")
            #expect(try await again.say("once", to: "b", cid: "same") == first)
            // Another user's client id is another message.
            let c = try await server.device("c")
            let other = try await c.say("other", to: "b", cid: "same")
            #expect(other != first)
            #expect(try await b.expectEvent("msg").words == "once")
            #expect(try await b.expectEvent("msg").words == "other")
            try await b.expectSilence()
        }
    }

    @Test("Messages of a connection keep their order, and so do their answers")
    func order() async throws {
        try await withChatServer { server in
            let a = try await server.device("a")
            let b = try await server.device("b")
            let count = 400
            var numbers: [Int] = []
            for number in 1...count {
                // Every seventh is refused.
                let text =
                    number % 7 == 0
                    ? #""cid":"\#(number)","conv":"group","to":"none","type":"t","content":{}"#
                    : ChatTestClient.text("\(number)", to: "b", cid: "\(number)")
                numbers.append(try await a.ask("send", text))
            }
            var last = ""
            for number in numbers {
                guard case .frame(let answer) = try await a.next() else {
                    throw ChatTestClient.Unexpected(description: "the end")
                }
                #expect(answer["n"]?.integer == number)
                #expect(answer["t"]?.string == (number % 7 == 0 ? "no" : "ok"))
                guard let id = answer["id"]?.string else { continue }
                #expect((UInt64(id) ?? 0) > (UInt64(last) ?? 0))
                last = id
            }
            for number in 1...count where number % 7 != 0 { #expect(try await b.expectEvent("msg").words == "\(number)") }
            try await b.expectSilence()
        }
    }

    @Test("A receiver that is away finds the message later")
    func away() async throws {
        try await withChatServer { server in
            let a = try await server.device("a")
            try await a.say("later", to: "b", cid: "1")
            let b = try await ChatTestClient.connect(server, token: try await server.token("b"))
            #expect(try await b.catchUp().compactMap(\.words) == ["later"])
        }
    }

    @Test("A status message reaches who is there, without a place, and nobody else")
    func status() async throws {
        try await withChatServer { server in
            let a = try await server.device("a")
            let b = try await server.device("b")
            try await a.say("now", to: "b", cid: "1", #","status":true"#)
            let frame = try await b.expect("ev")
            #expect(frame["e"]?.words == "now")
            #expect(frame["q"] == nil)
            await b.closeSocket()
            try await eventually("b is gone") { server.chat.read { !$0.isOnline("b") } }
            try await a.say("gone", to: "b", cid: "2", #","status":true"#)
            let later = try await ChatTestClient.connect(server, token: "token-b")
            #expect(try await later.catchUp().isEmpty)
            let history = try await later.done("history", #""conv":"direct","ch":"a""#)
            #expect(history["messages"]?.array?.isEmpty == true)
        }
    }

    @Test("What is not to be persisted is in the inbox and not in history")
    func unpersisted() async throws {
        try await withChatServer { server in
            let a = try await server.device("a")
            try await a.say("short", to: "b", cid: "1", #","persist":false"#)
            let b = try await ChatTestClient.connect(server, token: try await server.token("b"))
            #expect(try await b.catchUp().compactMap(\.words) == ["short"])
            let history = try await b.done("history", #""conv":"direct","ch":"a""#)
            #expect(history["messages"]?.array?.isEmpty == true)
        }
    }

    @Test("Refusals have their codes, and the session goes on")
    func refusals() async throws {
        try await withChatServer { server in
            let a = try await server.device("a")
            let b = try await server.device("b")
            try await server.chat.changed { book, change in try book.block(["a"], by: "b", into: &change.commit) }
            #expect(try await a.refused("send", ChatTestClient.text("x", to: "b", cid: "1")) == 405)
            #expect(try await a.refused("send", #""cid":"2","conv":"group","to":"g","type":"t","content":{}"#) == 25410)
            #expect(try await a.refused("send", #""cid":"3","conv":"open","to":"o","type":"t","content":{}"#) == 23410)
            #expect(try await a.refused("send", #""cid":"4","conv":"system","to":"b","type":"t","content":{}"#) == 33003)
            #expect(try await a.refused("send", #""cid":"5","conv":"direct","to":"b","type":"t","content":[]"#) == 33003)
            #expect(try await a.refused("send", #""cid":"","conv":"direct","to":"b","type":"t","content":{}"#) == 33003)
            let long = String(repeating: "t", count: 33)
            #expect(try await a.refused("send", #""cid":"6","conv":"direct","to":"b","type":"\#(long)","content":{}"#) == 33003)
            #expect(try await a.refused("fly") == -101)
            let large = String(repeating: "x", count: 131_073)
            #expect(try await a.refused("send", ChatTestClient.text(large, to: "c", cid: "7")) == 30016)
            // What is no JSON has no number to answer.
            try await a.send("{")
            #expect(try await a.expect("no")["n"]?.integer == 0)
            try await b.expectSilence()
            try await a.say("fine", to: "c", cid: "8")
        }
    }

    @Test("Beyond its rate a client is told when to try again")
    func rate() async throws {
        try await withChatServer(.with { $0.limits.sendsPerSecond = 1 }) { server in
            let a = try await server.device("a")
            for number in 1...40 { try await a.ask("send", ChatTestClient.text("x", to: "b", cid: "\(number)")) }
            var refusals: [JSONValue] = []
            for _ in 1...40 {
                guard case .frame(let answer) = try await a.next() else {
                    throw ChatTestClient.Unexpected(description: "the end")
                }
                if answer["t"]?.string == "no" { refusals.append(answer) }
            }
            #expect(!refusals.isEmpty)
            for refusal in refusals {
                #expect(refusal["code"]?.integer == 20604)
                #expect(refusal["retryAfter"]?.integer ?? 0 > 0)
            }
        }
    }

    @Test("A message to a group reaches its members but the sender, and with names only those")
    func group() async throws {
        try await withChatServer { server in
            let a = try await server.device("a")
            let b = try await server.device("b")
            let c = try await server.device("c")
            try await server.chat.changed { book, change in
                let group = ChatDocument.Group(id: "g", name: "Group", owner: "a")
                _ = try book.createGroup(group, users: ["b", "c"], by: .user("a"), at: change.now, into: &change.commit)
            }
            let words = #""conv":"group","to":"g","type":"RC:TxtMsg","content":{"content":"all"}"#
            try await a.done("send", #""cid":"1",\#(words)"#)
            for client in [b, c] { #expect(try await client.expectEvent("msg").words == "all") }
            try await a.done("send", #""cid":"2","users":["c"],\#(words)"#)
            _ = try await c.expectEvent("msg")
            for client in [a, b, c] { try await client.expectSilence() }
            let d = try await server.device("d")
            #expect(try await d.refused("send", #""cid":"1",\#(words)"#) == 22406)
        }
    }

    @Test("The application's server sends in anybody's name, also to a user's own devices and as the system")
    func server() async throws {
        try await withChatServer { server in
            let a = try await server.device("a")
            let b = try await server.device("b")
            let draft = ChatMessageDraft(
                clientID: "", conversation: .direct, to: "b", type: "t", content: Array(#"{"content":"hi"}"#.utf8))
            var options = ChatSendOptions()
            options.includesSender = true
            let _: ChatResult = try await withCheckedThrowingContinuation { continuation in
                server.chat.send(draft, by: .server(user: "a"), options: options) { continuation.resume(with: $0) }
            }
            for client in [a, b] { #expect(try await client.expectEvent("msg").words == "hi") }
            var system = draft
            system.conversation = .system
            _ = try await server.chat.answer(.send(system), by: .server(user: "news"))
            let message = try await b.expectEvent("msg")
            #expect(message["conv"]?.string == "system")
            #expect(message["from"]?.string == "news")
            let history = try await b.done("history", #""conv":"system","ch":"news""#)
            #expect(history["messages"]?.array?.count == 1)
        }
    }

    @Test("Typing is told to the devices that are there, and never kept")
    func typing() async throws {
        try await withChatServer { server in
            let a = try await server.device("a")
            let b = try await server.device("b")
            try await a.send(#"{"t":"typing","to":"b","type":"RC:TxtMsg"}"#)
            let event = try await b.expect("ev")["e"]
            #expect(event?["k"]?.string == "typing")
            #expect(event?["from"]?.string == "a")
            #expect(event?["type"]?.string == "RC:TxtMsg")
            try await b.send(#"{"t":"typing"}"#)
            try await b.expectSilence()
            try await a.expectSilence()
        }
    }
}
