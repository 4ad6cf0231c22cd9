import LifelineServer
import Testing

@testable import ServerTestSupport

@Suite("Chat in a server that a program has inside", .timeLimit(.minutes(1)))
struct ChatTokenTests {
    @Test("A token that the server gives out opens a session; tokens of before stay good")
    func tokens() async throws {
        try await withChatServer { server in
            let first = try await server.issueChatToken(user: "u1", name: "Ann")
            let second = try await server.issueChatToken(user: "u1")
            #expect(first != second)
            #expect(first.count == 64)
            for token in [first, second] {
                let client = try await ChatTestClient.connect(server, token: token)
                #expect(await client.welcome["user"]?.string == "u1")
            }
        }
    }

    @Test("Unknown applications and impossible users are errors")
    func errors() async throws {
        try await withChatServer { server in
            await #expect(throws: ServerError.unknownChatApplication(key: "x")) {
                try await server.issueChatToken(app: "x", user: "u")
            }
            await #expect(throws: ServerError.self) { try await server.issueChatToken(user: "") }
        }
    }

    @Test("All sessions can be asked to come back")
    func disconnecting() async throws {
        try await withChatServer { server in
            let client = try await server.device("u1")
            server.disconnectChat()
            #expect(try await client.expectBye()["code"]?.integer == 32061)
            _ = try await server.device("u1")
        }
    }
}
