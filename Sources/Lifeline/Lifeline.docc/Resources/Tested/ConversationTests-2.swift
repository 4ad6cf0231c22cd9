import Lifeline
import LifelineServer
import Testing

@Suite(.timeLimit(.minutes(1))) @MainActor struct ConversationTests {
    let conversation = Conversation()

    @Test func aMessageIsShown() async throws {
        try await withConversation { server in
            try server.publish(channel: "room", event: "line", data: "\"hello\"")

            for await _ in conversation.changes where conversation.lines == ["\"hello\""] { break }
        }
    }

    @Test func anOutageIsShownAndEnds() async throws {
        try await withConversation { server in
            server.disconnectAll()

            for await _ in conversation.changes where conversation.isOnline && !conversation.lines.isEmpty { break }
            #expect(conversation.lines == ["(messages may be missing here)"])
        }
    }

    /// Opens the conversation over a server of its own.
    private func withConversation(_ body: (LifelineServer) async throws -> Void) async throws {
        let server = try await LifelineServer.start(.init(port: 0))
        let client = LifelineClient(
            .pusher(key: "app-key", host: .init("127.0.0.1", port: server.port, tls: false)),
            options: .init(timing: .fast))
        try await client.connect()
        try await conversation.open("room", of: client)
        try await body(server)
        await client.disconnect()
        try await server.stop()
    }
}
