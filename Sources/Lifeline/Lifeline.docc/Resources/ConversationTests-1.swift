import Lifeline
import LifelineServer
import Testing

@Suite(.timeLimit(.minutes(1))) @MainActor struct ConversationTests {
    let conversation = Conversation()

    @Test func aMessageIsShown() async throws {
        let server = try await LifelineServer.start(.init(port: 0))
        let client = LifelineClient(
            .pusher(key: "app-key", host: .init("127.0.0.1", port: server.port, tls: false)),
            options: .init(timing: .fast))
        try await client.connect()
        try await conversation.open("room", of: client)

        try server.publish(channel: "room", event: "line", data: "\"hello\"")

        for await _ in conversation.changes where conversation.lines == ["\"hello\""] { break }
        await client.disconnect()
        try await server.stop()
    }
}
