import ChatProtocol
import Testing
import WireCoding

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

extension ChatTestClient {
    /// Sends a request that has to be done and that brings this device an event of its inbox before the answer.
    func doneAfterEvent(_ type: String, _ members: String, _ kind: String) async throws -> (answer: JSONValue, event: JSONValue) {
        let number = try await ask(type, members)
        let event = try await expectEvent(kind)
        let answer = try await expect("ok")
        guard answer["n"]?.integer == number else { throw Unexpected(description: "another answer: \(answer.text)") }
        return (answer, event)
    }
}

@Suite("Requests about groups (session document 7, CH-40 to CH-53)", .timeLimit(.minutes(2)))
struct ChatGroupRequestTests {
    private func names(_ event: JSONValue) -> [String] { event["members"]?.array?.compactMap { $0["user"]?.string } ?? [] }

    @Test("A group from its first day to its last, as its members see it")
    func life() async throws {
        try await withChatServer { server in
            let owner = try await server.device("o"), member = try await server.device("m")
            let group = #""group":{"id":"g","name":"Gardeners","avatar":"a.png","ext":{"k":"v"}},"users":["m"]"#
            let (answer, created) = try await owner.doneAfterEvent("group.create", group, "group")
            #expect(answer["process"]?.integer == 0)
            #expect(created["op"]?.string == "create" && created["operator"]?.string == "o")
            #expect(created["group"]?["count"]?.integer == 2 && created["group"]?["ext"]?["k"]?.string == "v")
            #expect(names(created) == ["o", "m"])
            #expect(try await member.expectEvent("group") == created)

            let guest = try await server.device("x")
            let (_, joined) = try await guest.doneAfterEvent("group.join", #""id":"g""#, "group")
            #expect(joined["op"]?.string == "join" && names(joined) == ["x"])
            #expect(try await owner.expectEvent("group") == joined)
            #expect(try await member.expectEvent("group") == joined)

            let (_, admin) = try await owner.doneAfterEvent("group.admins", #""id":"g","add":["m"]"#, "group")
            #expect(admin["op"]?.string == "addAdmin" && admin["members"]?.array?.first?["role"]?.string == "admin")
            _ = try await member.expectEvent("group")
            let (_, info) = try await member.doneAfterEvent("group.update", #""id":"g","set":{"name":"New"}"#, "groupInfo")
            #expect(info["changed"]?.text == #"["name"]"# && info["group"]?["name"]?.string == "New")
            let (_, nick) = try await member.doneAfterEvent(
                "group.member", #""id":"g","user":"x","nickname":"Nick""#, "groupMember")
            #expect(nick["member"]?["nickname"]?.string == "Nick")

            for kind in ["group", "groupInfo", "groupMember"] { try await guest.expectEvent(kind) }
            let (_, kicked) = try await member.doneAfterEvent("group.kick", #""id":"g","users":["x"]"#, "group")
            #expect(try await guest.expectEvent("group") == kicked)
            #expect(kicked["group"]?["count"]?.integer == 2)

            for kind in ["groupInfo", "groupMember", "group"] { try await owner.expectEvent(kind) }
            let number = try await owner.ask("group.transfer", #""id":"g","user":"m","leave":true"#)
            #expect(try await owner.expectEvent("group")["op"]?.string == "transfer")
            #expect(try await owner.expectEvent("group")["op"]?.string == "quit")
            #expect(try await owner.expect("ok")["n"]?.integer == number)
            for _ in 0..<2 { try await member.expectEvent("group") }
            let (_, dismissed) = try await member.doneAfterEvent("group.dismiss", #""id":"g""#, "group")
            #expect(dismissed["op"]?.string == "dismiss")
            try await owner.expectSilence()
            #expect(try await member.done("group.info", #""ids":["g"]"#)["groups"]?.array?.isEmpty == true)
        }
    }

    @Test("What happened while somebody was away waits in the inbox")
    func away() async throws {
        try await withChatServer { server in
            try await server.token("m")
            let owner = try await server.device("o")
            _ = try await owner.doneAfterEvent("group.create", #""group":{"id":"g","name":"n"},"users":["m"]"#, "group")
            _ = try await owner.doneAfterEvent("group.update", #""id":"g","set":{"notice":"Hello"}"#, "groupInfo")
            let member = try await ChatTestClient.connect(server, token: "token-m")
            #expect(try await member.catchUp().compactMap { $0["k"]?.string } == ["group", "groupInfo"])
            try await owner.expectSilence()
        }
    }

    @Test("Lists of groups and members come in pages")
    func pages() async throws {
        try await withChatServer { server in
            let owner = try await server.device("o")
            for id in ["a", "b", "c"] {
                _ = try await owner.doneAfterEvent(
                    "group.create", #""group":{"id":"\#(id)","name":"n"},"users":["m","n"]"#, "group")
            }
            let mine = try await owner.done("group.mine", #""limit":2"#)
            #expect(mine["groups"]?.array?.compactMap { $0["id"]?.string } == ["a", "b"] && mine["more"]?.bool == true)
            let rest = try await owner.done("group.mine", #""limit":2,"after":"b""#)
            #expect(rest["groups"]?.array?.compactMap { $0["id"]?.string } == ["c"] && rest["more"]?.bool == false)
            let members = try await owner.done("group.members", #""id":"a","role":"member","limit":1"#)
            #expect(members["members"]?.array?.compactMap { $0["user"]?.string } == ["m"] && members["more"]?.bool == true)
            let some = try await owner.done("group.members", #""id":"a","users":["o","n","stranger"]"#)
            #expect(some["members"]?.array?.compactMap { $0["role"]?.string } == ["owner", "member"])
        }
    }

    @Test("Refusals carry their codes, and the session goes on")
    func refused() async throws {
        try await withChatServer { server in
            let owner = try await server.device("o"), stranger = try await server.device("x")
            _ = try await owner.doneAfterEvent("group.create", #""group":{"id":"g","name":"n"}"#, "group")
            #expect(try await owner.refused("group.create", #""group":{"id":"g","name":"n"}"#) == 25_409)
            #expect(try await owner.refused("group.quit", #""id":"g""#) == 25_417)
            #expect(try await stranger.refused("group.join", #""id":"none""#) == 25_410)
            #expect(try await stranger.refused("group.kick", #""id":"g","users":["o"]"#) == 25_418)
            #expect(try await stranger.refused("group.members", #""id":"g""#) == 25_418)
            let text = #""cid":"c","conv":"group","to":"g","type":"RC:TxtMsg","content":{"content":"hello"}"#
            #expect(try await stranger.refused("send", text) == 22_406)
            _ = try await stranger.doneAfterEvent("group.join", #""id":"g""#, "group")
            try await stranger.done("send", text)
            try await owner.expectEvent("group")
            #expect(try await owner.expectEvent("msg").words == "hello")
            let (_, muted) = try await owner.doneAfterEvent("group.update", #""id":"g","set":{"mutedAll":true}"#, "groupInfo")
            #expect(muted["changed"]?.text == #"["mutedAll"]"# && muted["group"]?["mutedAll"]?.bool == true)
            try await stranger.expectEvent("groupInfo")
            #expect(try await stranger.refused("send", text.replacingFirst(#""cid":"c""#, with: #""cid":"d""#)) == 22_408)
        }
    }
}
