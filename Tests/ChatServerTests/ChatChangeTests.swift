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

@Suite("Later changes, receipts, history and settings (NV-21 to NV-33)", .timeLimit(.minutes(2)))
struct ChatChangeTests {
    private func withTwo(
        _ settings: ChatApplication = .development,
        _ body: (LifelineServer, ChatTestClient, ChatTestClient) async throws -> Void
    ) async throws {
        try await withChatServer(settings) { server in
            try await body(server, try await server.device("a"), try await server.device("b"))
        }
    }

    private func history(_ client: ChatTestClient, _ channel: String, _ more: String = "") async throws -> [JSONValue] {
        try await client.done("history", #""conv":"direct","ch":"\#(channel)"\#(more)"#)["messages"]?.array ?? []
    }

    @Test("A recalled message leaves history, and the other is told")
    func recall() async throws {
        try await withTwo { server, a, b in
            let id = try await a.say("oops", to: "b", cid: "1")
            try await b.expectEvent("msg")
            try await a.done("recall", #""conv":"direct","to":"b","id":"\#(id)""#)
            let event = try await b.expectEvent("recall")
            #expect(event["id"]?.string == id)
            #expect(event["from"]?.string == "a")
            #expect(event["to"]?.string == "b")
            #expect(event["sender"]?.string == "a")
            #expect(try await history(b, "a").isEmpty)
            #expect(try await a.refused("recall", #""conv":"direct","to":"b","id":"\#(id)""#) == 25101)
            #expect(try await a.refused("recall", #""conv":"direct","to":"c","id":"\#(id)""#) == 25101)
        }
    }

    @Test("Whether others' messages may be recalled is up to the application")
    func recallOfOthers() async throws {
        for (isOwnOnly, code) in [(true, 25107 as Int?), (false, nil)] {
            try await withTwo(.with { $0.recallsOwnOnly = isOwnOnly }) { server, a, b in
                let id = try await a.say("mine", to: "b", cid: "1")
                try await b.expectEvent("msg")
                let target = #""conv":"direct","to":"a","id":"\#(id)""#
                if let code {
                    #expect(try await b.refused("recall", target) == code)
                } else {
                    try await b.done("recall", target)
                    let event = try await a.expectEvent("recall")
                    #expect(event["from"]?.string == "b")
                    #expect(event["sender"]?.string == "a")
                }
            }
        }
    }

    @Test("An edit changes history and is told; others' messages and old ones cannot be edited")
    func edit() async throws {
        try await withTwo { server, a, b in
            let id = try await a.say("first", to: "b", cid: "1", #","meta":{"k":"v"}"#)
            try await b.expectEvent("msg")
            let answer = try await a.done("edit", #""conv":"direct","to":"b","id":"\#(id)","content":{"content":"second"}"#)
            #expect(answer["time"]?.integer ?? 0 > 0)
            let event = try await b.expectEvent("edit")
            #expect(event.words == "second")
            #expect(event["time"] == answer["time"])
            let message = try #require(try await history(b, "a").first)
            #expect(message.words == "second")
            #expect(message["edited"] == answer["time"])
            #expect(message["meta"]?["k"]?.string == "v")
            #expect(message["cid"]?.string == "1")
            let other = #""conv":"direct","to":"a","id":"\#(id)","content":{}"#
            #expect(try await b.refused("edit", other) == 25107)
            #expect(try await a.refused("edit", #""conv":"direct","to":"b","id":"1","content":{}"#) == 34203)
        }
        try await withTwo(.with { $0.limits.modifiableMinutes = -1 }) { server, a, b in
            let id = try await a.say("first", to: "b", cid: "1")
            #expect(try await a.refused("edit", #""conv":"direct","to":"b","id":"\#(id)","content":{}"#) == 20114)
        }
    }

    @Test("Metadata is set and removed key by key, and the other is told")
    func metadata() async throws {
        try await withTwo { server, a, b in
            let id = try await a.say("m", to: "b", cid: "1", #","meta":{"a":"1","b":"2"}"#)
            try await b.expectEvent("msg")
            let target = #""conv":"direct","to":"a","id":"\#(id)""#
            try await b.done("meta", #"\#(target),"set":{"c":"3"},"del":["a"]"#)
            let event = try await a.expectEvent("meta")
            #expect(event["set"]?["c"]?.string == "3")
            #expect(event["del"]?.array == ["a"])
            let meta = try await history(a, "b").first?["meta"]
            #expect(meta?["a"] == nil)
            #expect(meta?["b"]?.string == "2")
            #expect(meta?["c"]?.string == "3")
            #expect(try await b.refused("meta", #"\#(target),"set":{"bad key":"3"}"#) == 33003)
        }
    }

    @Test("Changes of one message that cross each other are all kept")
    func crossing() async throws {
        try await withTwo { server, a, b in
            let id = try await a.say("m", to: "b", cid: "1")
            let rounds = 40
            for number in 1...rounds {
                try await a.ask("meta", #""conv":"direct","to":"b","id":"\#(id)","set":{"a\#(number)":"x"}"#)
                try await b.ask("meta", #""conv":"direct","to":"a","id":"\#(id)","set":{"b\#(number)":"x"}"#)
            }
            for client in [a, b] {
                var answers = 0
                while answers < rounds {
                    if try await client.next().type == "ok" { answers += 1 }
                }
            }
            let meta = server.chat.storage.store
            let stored = try await meta.event(
                try #require(UInt64(id)), in: ChatConversation.key(.direct, of: "a", and: "b"), application: "app-key")
            let message = try #require(stored.flatMap { ChatMessage(storedAs: $0.body) })
            #expect(message.options.metadata.count == 2 * rounds)
        }
    }

    // Proof of NV-27.
    @Test("A read receipt counts once for each reader, and the sender learns of it")
    func receipts() async throws {
        try await withTwo { server, a, b in
            let c = try await server.device("c")
            try await server.chat.changed { book, change in
                let group = ChatDocument.Group(id: "g", name: "Group", owner: "a")
                _ = try book.createGroup(group, users: ["b", "c"], by: .user("a"), at: change.now, into: &change.commit)
            }
            let words = #""conv":"group","to":"g","type":"t","content":{}"#
            let id = try #require(try await a.done("send", #""cid":"1","receipt":true,\#(words)"#)["id"]?.string)
            let silent = try #require(try await a.done("send", #""cid":"2",\#(words)"#)["id"]?.string)
            for client in [b, c] {
                try await client.expectEvent("msg")
                try await client.expectEvent("msg")
            }
            let all = #""conv":"group","to":"g","ids":["\#(id)","\#(silent)"]"#
            for (number, client) in [b, c].enumerated() {
                try await client.done("receipt", all)
                let event = try await a.expectEvent("receipt")
                #expect(event["from"]?.string == ["b", "c"][number])
                #expect(event["items"]?.text == #"[{"id":"\#(id)","read":\#(number + 1),"unread":\#(1 - number),"total":2}]"#)
                // Once is enough.
                try await client.done("receipt", all)
                try await a.expectSilence()
            }
            let counts = try await a.done("receipts", #""conv":"group","to":"g","ids":["\#(id)"]"#)
            #expect(counts["items"]?.array?.first?["read"]?.integer == 2)
            let users = try await a.done("receipt.users", #""conv":"group","to":"g","id":"\#(id)""#)
            #expect(users["items"]?.array?.compactMap { $0["user"]?.string } == ["b", "c"])
            let d = try await server.device("d")
            #expect(try await d.refused("receipt", all) == 22406)
            #expect(try await d.refused("receipts", all) == 22406)
        }
    }

    @Test("History comes in pages, both ways, newest or oldest first")
    func pages() async throws {
        try await withTwo { server, a, b in
            var ids: [String] = []
            for number in 1...25 { ids.append(try await a.say("\(number)", to: "b", cid: "\(number)")) }
            for _ in 1...25 { try await b.expectEvent("msg") }
            let latest = try await b.done("history", #""conv":"direct","ch":"a""#)
            #expect(latest["more"]?.bool == true)
            #expect(latest["messages"]?.array?.compactMap(\.words) == (6...25).reversed().map(String.init))
            let rest = try await b.done("history", #""conv":"direct","ch":"a","before":"\#(ids[5])""#)
            #expect(rest["more"]?.bool == false)
            #expect(rest["messages"]?.array?.compactMap(\.words) == (1...5).reversed().map(String.init))
            #expect(try await history(b, "a", #","after":"\#(ids[2])","limit":3"#).compactMap(\.words) == ["4", "5", "6"])
            let time = try #require(ChatMessageID(ids[24])?.time)
            #expect(try await history(b, "a", #","afterTime":\#(time)"#).isEmpty)
            #expect(try await history(b, "a", #","beforeTime":\#(time + 1),"limit":1"#).compactMap(\.words) == ["25"])
            // The sender sees the same conversation.
            #expect(try await history(a, "b", #","limit":1"#).compactMap(\.words) == ["25"])
            for wrong in ["0", "101", "-1"] {
                #expect(try await b.refused("history", #""conv":"direct","ch":"a","limit":\#(wrong)"#) == 33003)
            }
        }
    }

    @Test("History belongs to those who take part")
    func membership() async throws {
        try await withTwo { server, a, b in
            try await a.say("secret", to: "b", cid: "1")
            let c = try await server.device("c")
            #expect(try await history(c, "a").isEmpty)
            #expect(try await history(c, "b").isEmpty)
            #expect(try await c.refused("history", #""conv":"group","ch":"g""#) == 22406)
            #expect(try await c.refused("history", #""conv":"open","ch":"o""#) == 23410)
        }
    }

    @Test("What a user deletes is gone from that user's history only")
    func deleting() async throws {
        try await withTwo { server, a, b in
            var ids: [String] = []
            for number in 1...5 { ids.append(try await a.say("\(number)", to: "b", cid: "\(number)")) }
            for _ in 1...5 { try await b.expectEvent("msg") }
            try await b.done("delete", #""conv":"direct","ch":"a","ids":["\#(ids[4])"]"#)
            #expect(try await history(b, "a").compactMap(\.words) == ["4", "3", "2", "1"])
            // The end of a deletion belongs to it, and nothing behind it does.
            let start = try #require(ChatMessageID(ids[0])?.time)
            try await b.done("delete", #""conv":"direct","ch":"a","before":\#(start - 1)"#)
            #expect(try await history(b, "a").compactMap(\.words) == ["4", "3", "2", "1"])
            try await b.done("delete", #""conv":"direct","ch":"a","before":\#(start)"#)
            #expect(try await !history(b, "a").compactMap(\.words).contains("1"))
            let time = try #require(ChatMessageID(ids[4])?.time)
            try await b.done("delete", #""conv":"direct","ch":"a","before":\#(time)"#)
            #expect(try await history(b, "a").isEmpty)
            #expect(try await history(a, "b").count == 5)
            try await a.say("6", to: "b", cid: "6")
            try await b.expectEvent("msg")
            // In the same millisecond the new one may be hidden too; a later one never is.
            try await a.say("7", to: "b", cid: "7")
            try await b.expectEvent("msg")
        }
    }

    @Test(
        "NV-65: Numbers at the edge are refused with 33003, in every request that takes a time or an id",
        arguments: ["9223372036854775807", "-9223372036854775808", "-1", "9007199254740992", "18446744073709551616", "1e400"])
    func edges(number: String) async throws {
        try await withTwo { _, a, b in
            let channel = #""conv":"direct","ch":"b""#
            let requests = [
                ("read", #"\#(channel),"time":N"#), ("delete", #"\#(channel),"before":N"#),
                ("history", #"\#(channel),"beforeTime":N"#), ("history", #"\#(channel),"afterTime":N"#),
                ("history", #"\#(channel),"limit":N"#), ("set", #"\#(channel),"level":N"#),
                ("user.subscribe", #""users":["b"],"expiry":N"#), ("open.info", #""ch":"o","limit":N"#),
                ("open.enter", #""ch":"o","count":N"#),
            ]
            for (type, members) in requests where !(type == "set" && number == "-1") {
                #expect(try await a.refused(type, members.replacing("N", with: number)) == 33_003, "\(type) \(members)")
            }
            for id in ["9223372036854775807", "18446744073709551615", "-1", number] {
                let direct = #""conv":"direct","to":"b""#
                let requests = [
                    ("history", #"\#(channel),"before":"N""#), ("history", #"\#(channel),"after":"N""#),
                    ("recall", #"\#(direct),"id":"N""#), ("edit", #"\#(direct),"id":"N","content":{}"#),
                    ("meta", #"\#(direct),"id":"N","set":{"k":"v"}"#), ("receipt", #"\#(direct),"ids":["N"]"#),
                    ("delete", #"\#(channel),"ids":["N"]"#), ("open.enter", #""ch":"o","count":0,"after":"N""#),
                ]
                for (type, members) in requests where id != "9007199254740992" {
                    #expect(try await a.refused(type, members.replacing("N", with: id)) == 33_003, "\(type) \(id)")
                }
            }
            for client in [a, b] { try await client.expectSilence() }
        }
    }

    @Test("What one device reads, pins or silences the user's other devices learn")
    func settings() async throws {
        try await withTwo { server, a, b in
            let web = try await server.device("a", "tab", class: "web")
            try await a.done("read", #""conv":"direct","ch":"b","time":1763710000000"#)
            let read = try await web.expectEvent("read")
            #expect(read["ch"]?.string == "b")
            #expect(read["time"]?.integer == 1_763_710_000_000)
            // The mark is at most the server's present: a clock that is ahead marks nothing as read that is still to come.
            let now = Int(server.chat.now)
            try await a.done("read", #""conv":"direct","ch":"b","time":\#(now + 60_000)"#)
            let ahead = try #require(try await web.expectEvent("read")["time"]?.integer)
            #expect((now...Int(server.chat.now)).contains(ahead))
            try await a.done("set", #""conv":"direct","ch":"b","pinned":true,"level":5"#)
            let set = try await web.expectEvent("set")
            #expect(set["pinned"]?.bool == true)
            #expect(set["level"]?.integer == 5)
            try await web.done("set", #""conv":"group","level":1"#)
            #expect(try await a.expectEvent("set")["conv"]?.string == "group")
            let all = try await a.done("settings")
            #expect(all["channels"]?.array?.first?["ch"]?.string == "b")
            #expect(all["channels"]?.array?.first?["pinned"]?.bool == true)
            #expect(all["types"]?.array?.first?["level"]?.integer == 1)
            #expect(try await a.refused("set", #""conv":"direct","ch":"b","level":3"#) == 33003)
            for client in [a, b, web] { try await client.expectSilence() }
        }
    }
}
