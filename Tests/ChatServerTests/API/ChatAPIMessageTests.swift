import ChatProtocol
import ServerStorage
import Testing
import WireCoding

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Messages of the server API (NA-20 to NA-33)", .timeLimit(.minutes(2)))
struct ChatAPIMessageTests {
    private func text(_ words: String, _ more: JSONValue = [:]) -> JSONValue {
        var message: JSONValue = [
            "fromUserId": "ann", "messageType": "RC:TxtMsg", "content": .string(#"{"content":"\#(words)"}"#),
        ]
        for (key, value) in more.object ?? [:] { message = message.with(key, value) }
        return message
    }

    @Test("A direct message reaches each receiver, there or not, with what was asked for")
    func direct() async throws {
        try await withChatAPI { api in
            let bob = try await api.device("bob")
            let result = try await api.done(
                "direct-channel/message/send",
                text(
                    "hi", ["toUserIds": ["bob", "zoe", "bob"], "metadata": ["k": "v"], "needReadReceipt": 1, "pushContent": "p"]))
            #expect(result["messages"]?.each("userId") == ["bob", "zoe"] && result["failed"] == [])
            let event = try await bob.expectEvent("msg")
            #expect(event["id"] == result["messages"]?.array?.first?["messageId"])
            #expect(event["from"] == "ann" && event["to"] == "bob" && event.words == "hi" && event["receipt"] == true)
            #expect(event["meta"] == ["k": "v"] && event["push"]?["pushContent"] == "p")
            let zoe = try await ChatTestClient.connect(api.server, token: try await api.server.token("zoe"))
            #expect(try await zoe.catchUp().map(\.words) == ["hi"])
        }
    }

    @Test("With verifyBlocklist receivers who block the sender are listed; alone they make it a refusal")
    func blocked() async throws {
        try await withChatAPI { api in
            try await api.done("user/blocklist/add", ["userId": "bob", "targetUserIds": ["ann"]])
            let both = try await api.done(
                "direct-channel/message/send", text("hi", ["toUserIds": ["bob", "zoe"], "verifyBlocklist": 1]))
            #expect(both["messages"]?.each("userId") == ["zoe"] && both["failed"]?.each("userId") == ["bob"])
            #expect(both["failed"]?.array?.first?["code"] == 405)
            let one = text("hi", ["toUserIds": ["bob"], "verifyBlocklist": 1])
            #expect(try await api.refused("direct-channel/message/send", one) == [403, 405])
            #expect(try await api.done("direct-channel/message/send", text("hi", ["toUserIds": ["bob"]]))["failed"] == [])
        }
    }

    @Test("An id of the sender's own makes sending again safe; an echo reaches the sender's devices")
    func repetition() async throws {
        try await withChatAPI { api in
            let (ann, bob) = (try await api.device("ann"), try await api.device("bob"))
            let message = text("hi", ["toUserIds": ["bob"], "clientMessageId": "m-1", "isEchoToSender": 1])
            let first = try await api.done("direct-channel/message/send", message)
            #expect(try await api.done("direct-channel/message/send", message) == first)
            try await bob.expectEvent("msg")
            try await bob.expectSilence()
            #expect(try await ann.expectEvent("msg")["to"] == "bob")
            try await ann.expectSilence()
            let two = text("hi", ["toUserIds": ["bob", "zoe"], "clientMessageId": "m-2"])
            #expect(try await api.refused("direct-channel/message/send", two) == [400, 1002])
        }
    }

    @Test(
        "Wrong fields are named", arguments: ["content", "messageType", "toUserIds", "fromUserId", "shouldPersist", "metadata"])
    func fields(name: String) async throws {
        try await withChatAPI { api in
            let wrong: [JSONValue] =
                switch name {
                case "content": ["no json", "[]", ["content": "x"], 1, .string("{}" + String(repeating: " ", count: 131_071))]
                case "messageType": ["", .string(String(repeating: "x", count: 33)), 5]
                case "toUserIds": [[], "bob", [1], .strings((0...1000).map { "u\($0)" })]
                case "fromUserId": [.null, "", "a\u{7}"]
                case "shouldPersist": [2, "1", []]
                default: [[], ["k": 1], ["a b": "v"], ["k": .string(String(repeating: "x", count: 4097))]]
                }
            for value in wrong {
                let answer = try await api.call(
                    "direct-channel/message/send", text("hi", ["toUserIds": ["bob"]]).with(name, value).text)
                #expect(answer.status == 400 && answer.code == 1002, "\(value.text.prefix(20))")
                #expect(answer.body["errorMessage"]?.string?.contains(name) == true, "\(answer.body.text)")
            }
            let largest = #"{"a":"\#(String(repeating: "\\\"", count: 65_000))"}"#
            let full = text("", ["toUserIds": ["bob"], "content": .string(largest)])
            #expect(try await api.done("direct-channel/message/send", full)["failed"] == [])
        }
    }

    @Test("Receivers of direct messages count against the minute's quota, groups against the second's")
    func quota() async throws {
        let settings = ChatApplication.with { $0.limits.callsPerSecond = 10 }
        try await withChatAPI(settings) { api in
            let many = text("hi", ["toUserIds": .strings((0..<590).map { "u\($0)" })])
            let sent = try await api.done("direct-channel/message/send", many)
            #expect(sent["messages"]?.array?.count == 590)
            // Ten a second come back; none of these fits, however slow the machine is, before a minute's share has.
            #expect(try await api.refused("direct-channel/message/send", many) == [429, 1008])
        }
    }

    @Test("A group's members get a message, or those who were chosen")
    func group() async throws {
        try await withChatAPI { api in
            let (bob, cid) = (try await api.device("bob"), try await api.device("cid"))
            try await api.done(
                "group-channel/create", ["userId": "ann", "groupId": "g", "groupName": "G", "memberUserIds": ["bob", "cid"]])
            try await bob.expectEvent("group")
            try await cid.expectEvent("group")
            try await api.done("group-channel/message/send", text("all", ["toGroupIds": ["g"]]))
            try await api.done("group-channel/message/send", text("one", ["toGroupIds": ["g"], "toUserIds": ["cid"]]))
            #expect(try await bob.expectEvent("msg").words == "all")
            try await bob.expectSilence()
            #expect(try await cid.expectEvent("msg").words == "all")
            #expect(try await cid.expectEvent("msg").words == "one")
            let mixed = try await api.done("group-channel/message/send", text("x", ["toGroupIds": ["g", "none"]]))
            #expect(mixed["failed"]?.each("groupId") == ["none"])
            #expect(
                try await api.refused("group-channel/message/send", text("x", ["toGroupIds": ["none"]]))
                    == [404, ChatCode.noSuchGroup])
        }
    }

    @Test("Open channels hear messages and broadcasts, and users hear the system")
    func openAndSystem() async throws {
        try await withChatAPI { api in
            let bob = try await api.device("bob")
            try await api.done("open-channel/create", ["channelId": "o"])
            try await bob.done("open.enter", #""ch":"o","count":0"#)
            try await api.done("open-channel/message/send", text("one", ["toChannelIds": ["o"]]))
            #expect(try await bob.expect("ev")["e"]?.words == "one")
            let all = try await api.done("open-channel/message/broadcast", text("all"))
            #expect(all["messages"]?.each("channelId") == ["o"])
            #expect(try await bob.expect("ev")["e"]?.words == "all")
            try await api.done("system-channel/message/send", text("sys", ["fromUserId": "news", "toUserIds": ["bob"]]))
            let event = try await bob.expectEvent("msg")
            #expect(event["conv"] == "system" && event["from"] == "news" && event.words == "sys")
            let history = try await api.done("open-channel/history-message/list", ["channelId": "o"])
            #expect(history["messages"]?.array?.count == 2)
            #expect(
                try await api.refused("open-channel/message/send", text("x", ["toChannelIds": ["none"]]))
                    == [404, ChatCode.noSuchOpenChannel])
        }
    }

    @Test("Messages are recalled, edited and given metadata, and receivers learn of it")
    func changes() async throws {
        try await withChatAPI { api in
            let bob = try await api.device("bob")
            let sent = try await api.done("direct-channel/message/send", text("hi", ["toUserIds": ["bob"]]))
            let id = sent["messages"]?.array?.first?["messageId"] ?? .null
            try await bob.expectEvent("msg")
            let edit: JSONValue = ["fromUserId": "ann", "targetId": "bob", "messageId": id, "content": #"{"content":"ho"}"#]
            try await api.done("direct-channel/message/update", edit)
            #expect(try await bob.expectEvent("edit").words == "ho")
            let message: JSONValue = ["userId": "ann", "channelType": "PERSON", "targetId": "bob", "messageId": id]
            try await api.done("channel-type/message/metadata/set", message.with("metadata", ["a": "1", "b": "2"]))
            #expect(try await bob.expectEvent("meta")["set"] == ["a": "1", "b": "2"])
            try await api.done("channel-type/message/metadata/delete", message.with("keys", ["a"]))
            #expect(try await bob.expectEvent("meta")["del"] == ["a"])
            #expect(try await api.done("channel-type/message/metadata/list", message)["metadata"] == ["b": "2"])
            let recall: JSONValue = ["fromUserId": "ann", "channelType": "PERSON", "targetId": "bob", "messageId": id]
            try await api.done("message/delete", recall)
            #expect(try await bob.expectEvent("recall")["id"] == id)
            #expect(try await api.refused("message/delete", recall) == [404, 25101])
            #expect(try await api.refused("channel-type/message/metadata/list", message) == [404, 34203])
            #expect(try await api.refused("message/delete", recall.with("messageId", 5)) == [400, 1002])
            #expect(try await api.refused("message/delete", recall.with("channelType", "SYSTEM")) == [400, 1002])
        }
    }

    @Test("Histories page in both directions, and what a user deletes is gone for that user alone")
    func history() async throws {
        try await withChatAPI { api in
            for number in 1...5 {
                try await api.done("direct-channel/message/send", text("m\(number)", ["toUserIds": ["bob"]]))
            }
            func page(_ more: JSONValue, as user: String = "ann", with other: String = "bob") async throws -> JSONValue {
                var body: JSONValue = ["userId": .string(user), "targetId": .string(other)]
                for (key, value) in more.object ?? [:] { body = body.with(key, value) }
                return try await api.done("direct-channel/history-message/list", body)
            }
            func words(_ page: JSONValue) -> [String] {
                page["messages"]?.each("content").map { String($0.dropFirst(12).dropLast(2)) } ?? []
            }
            let first = try await page(["pageSize": 2])
            #expect(words(first) == ["m5", "m4"] && first["hasMore"] == true)
            let token = first["nextPageToken"] ?? .null
            #expect(try await words(page(["pageSize": 2, "pageToken": token])) == ["m3", "m2"])
            let oldest = try await page(["order": 1, "pageSize": 3])
            #expect(words(oldest) == ["m1", "m2", "m3"])
            #expect(try await words(page(["order": 1, "pageToken": oldest["nextPageToken"] ?? .null])) == ["m4", "m5"])
            let message = oldest["messages"]?.array?.first
            #expect(message?["fromUserId"] == "ann" && message?["targetId"] == "bob" && message?["channelType"] == "PERSON")
            let ids = oldest["messages"]?.each("messageId") ?? []
            try await api.done(
                "channel/message/history/delete",
                ["userId": "bob", "channelType": "PERSON", "targetId": "ann", "messageIds": [.string(ids.first ?? "")]])
            #expect(try await words(page(["order": 1, "pageSize": 2], as: "bob", with: "ann")) == ["m2", "m3"])
            #expect(try await words(page(["order": 1, "pageSize": 2])) == ["m1", "m2"])
            let end = JSONValue.whole(api.server.chat.now + 1000)
            try await api.done(
                "channel/message/history/delete",
                ["userId": "bob", "channelType": "PERSON", "targetId": "ann", "beforeTime": end])
            #expect(try await words(page([:], as: "bob", with: "ann")) == [])
            #expect(try await words(page([:])).count == 5)
        }
    }
}
