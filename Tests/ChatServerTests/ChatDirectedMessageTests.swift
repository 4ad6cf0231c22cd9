import ChatProtocol
import Identifiers
import ServerStorage
import Testing
import WireCoding

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Messages for some members of a group (CH-33)", .timeLimit(.minutes(2)))
struct ChatDirectedMessageTests {
    private func create(_ users: [Identifier], _ server: LifelineServer) async throws {
        try await server.chat.changed { state, change in
            _ = try state.createGroup(
                ChatDocument.Group(id: "g", name: "g", owner: "ann"), users: users, by: .user("ann"), at: change.now,
                into: &change.commit)
        }
    }

    @Test("CH-33: Other members do not see it: not in history, not by receipts, and they change nothing of it")
    func others() async throws {
        try await withChatAPI { api in
            let (ann, ben, cat) = (try await api.device("ann"), try await api.device("ben"), try await api.device("cat"))
            try await create(["ben", "cat"], api.server)
            let content = #""conv":"group","to":"g","type":"t","content":{},"receipt":true"#
            let answer = try await ann.done("send", #""cid":"1",\#(content),"users":["ben"]"#)
            let id = try #require(answer["id"]?.string)
            #expect(try await ben.expectEvent("msg")["id"]?.string == id)
            let open = try #require(try await ann.done("send", #""cid":"2",\#(content)"#)["id"]?.string)
            for client in [ben, cat] { #expect(try await client.expectEvent("msg")["id"]?.string == open) }

            // Who has it.
            for client in [ann, ben] {
                let history = try await client.done("history", #""conv":"group","ch":"g","limit":2"#)
                #expect(history["messages"]?.array?.compactMap { $0["id"]?.string } == [open, id])
            }
            try await ben.done("receipt", #""conv":"group","to":"g","ids":["\#(id)"]"#)
            #expect(try await ann.expectEvent("receipt")["items"]?.array?.first?["read"]?.integer == 1)
            try await ben.done("meta", #""conv":"group","to":"g","id":"\#(id)","set":{"k":"v"}"#)
            try await ann.expectEvent("meta")

            // Who has not.
            let page = try await cat.done("history", #""conv":"group","ch":"g","limit":1"#)
            #expect(page["messages"]?.array?.compactMap { $0["id"]?.string } == [open])
            #expect(page["more"]?.bool != true)
            let target = #""conv":"group","to":"g","id":"\#(id)""#
            #expect(try await cat.refused("meta", #"\#(target),"set":{"k":"w"}"#) == ChatErrorCode.noSuchMessage.rawValue)
            #expect(try await cat.refused("edit", #"\#(target),"content":{}"#) == ChatErrorCode.noSuchMessage.rawValue)
            #expect(try await cat.refused("recall", target) == ChatCode.nothingToRecall)
            #expect(try await cat.refused("receipt.users", target) == ChatErrorCode.noSuchMessage.rawValue)
            let ids = #""conv":"group","to":"g","ids":["\#(id)"]"#
            #expect(try await cat.refused("receipt", ids) == ChatErrorCode.noSuchMessage.rawValue)
            #expect(try await cat.done("receipts", ids)["items"]?.array?.isEmpty == true)
            for client in [ann, ben, cat] { try await client.expectSilence() }

            // The application's server sees everything, and a user's view as the user has it.
            func listed(_ user: JSONValue?) async throws -> [String] {
                let body: JSONValue = ["groupId": "g"]
                let page = try await api.done("group-channel/history-message/list", body.with("userId", user))
                return page["messages"]?.each("messageId") ?? []
            }
            #expect(try await listed(nil) == [open, id])
            #expect(try await listed("ben") == [open, id])
            #expect(try await listed("cat") == [open])
            let metadata: JSONValue = ["channelType": "GROUP", "targetId": "g", "messageId": .string(id)]
            #expect(try await api.done("channel-type/message/metadata/list", metadata)["metadata"]?["k"]?.string == "v")
        }
    }

    @Test("CH-33: A user who joins later sees it only when it was for that user")
    func later() async throws {
        try await withChatServer { server in
            let (ann, dan) = (try await server.device("ann"), try await server.device("dan"))
            try await create([], server)
            let content = #""conv":"group","to":"g","type":"t","content":{}"#
            try await ann.done("send", #""cid":"1",\#(content),"users":["ben"]"#)
            try await ann.done("send", #""cid":"2",\#(content),"users":[]"#)
            try await server.chat.changed { state, change in
                _ = try state.joinGroup("g", users: ["dan"], by: .user("dan"), at: change.now, into: &change.commit)
            }
            #expect(try await dan.done("history", #""conv":"group","ch":"g""#)["messages"]?.array?.isEmpty == true)
        }
    }
}
