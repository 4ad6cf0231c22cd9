import Lifeline
import LifelineTesting
import Testing

@Suite @MainActor struct ConversationTests {
    let service = TestService()
    let conversation = Conversation()

    /// Makes a connected client, opens the conversation, and waits until both of its loops are waiting for elements.
    func open() async throws -> LifelineClient {
        let client = LifelineClient(service.pusher())
        try await client.connect()
        try await conversation.open("room", of: client)
        try await service.until { service.waitingLoopCount == 2 }
        return client
    }

    @Test func aMessageIsShown() async throws {
        let client = try await open()

        try await service.deliver("hello", on: "room")

        #expect(conversation.lines == ["\"hello\""])
        await client.disconnect()
    }

    @Test func anOutageIsShownAndEnds() async throws {
        let client = try await open()

        service.refuse(.unreachable)
        try await service.drop(.reset)
        try await service.advance(by: .seconds(60))
        #expect(!conversation.isOnline)

        try await service.accept()
        try await service.advance(by: .seconds(60))
        #expect(conversation.isOnline)
        #expect(conversation.lines == ["(messages may be missing here)"])
        await client.disconnect()
    }
}
