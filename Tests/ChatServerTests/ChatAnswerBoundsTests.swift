import ChatProtocol
import Identifiers
import Testing
import WireCoding

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Answers and messages of a chat session have bounds (NV-62 to NV-64)", .timeLimit(.minutes(2)))
struct ChatAnswerBoundsTests {
    @Test("NV-62: A message's metadata is bounded together, over however many changes")
    func metadata() async throws {
        try await withChatServer { server in
            let a = try await server.device("a")
            let id = try await a.say("x", to: "b", cid: "1")
            let value = String(repeating: "v", count: 4_000)
            for number in 1...8 {
                try await a.done("meta", #""conv":"direct","to":"b","id":"\#(id)","set":{"k\#(number)":"\#(value)"}"#)
            }
            #expect(try await a.refused("meta", #""conv":"direct","to":"b","id":"\#(id)","set":{"k9":"\#(value)"}"#) == 34_010)
            try await a.done("meta", #""conv":"direct","to":"b","id":"\#(id)","set":{"k9":"\#(value)"},"del":["k1"]"#)
            let pairs = (1...9).map { #""k\#($0)":"\#(value)""# }.joined(separator: ",")
            #expect(try await a.refused("send", ChatTestClient.text("x", to: "b", cid: "2", ",\"meta\":{\(pairs)}")) == 34_010)
        }
    }

    @Test("NV-63: An answer that would make its own client look slow is refused with 30016, and a smaller one is given")
    func answers() async throws {
        try await withChatServer { server in
            let a = try await server.device("a")
            let value = String(repeating: "v", count: 4_000)
            let extra = Dictionary(uniqueKeysWithValues: (1...15).map { ("k\($0)", value) })
            let users = (1...20).map { "u\($0)" }
            for user in users {
                try await server.token(user)
                try await server.chat.changed { book, change in
                    try book.updateUser(
                        Identifier(user), name: nil, avatar: nil, extra: extra, at: change.now, into: &change.commit)
                }
            }
            func members(_ users: some Sequence<String>) -> String {
                "\"users\":[\(users.map { "\"\($0)\"" }.joined(separator: ","))]"
            }
            #expect(try await a.refused("user.get", members(users)) == 30_016)
            #expect(try await a.done("user.get", members(users.prefix(10)))["users"]?.array?.count == 10)
        }
    }

    @Test("NV-64: Who hides a conversation hides what has been said, not what is still to come")
    func hiding() async throws {
        try await withChatServer { server in
            let (a, b) = (try await server.device("a"), try await server.device("b"))
            try await a.say("old", to: "b", cid: "1")
            try await b.expectEvent("msg")
            try await b.done("delete", #""conv":"direct","ch":"a","before":9007199254740991"#)
            try await b.done("delete", #""conv":"direct","ch":"nobody","before":9007199254740991"#)
            try await a.say("new", to: "b", cid: "2")
            try await b.expectEvent("msg")
            let history = try await b.done("history", #""conv":"direct","ch":"a""#)
            #expect(history["messages"]?.array?.compactMap(\.words) == ["new"])
        }
    }
}
