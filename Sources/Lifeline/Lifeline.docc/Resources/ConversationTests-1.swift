import Lifeline
import LifelineTesting
import Testing

@Suite @MainActor struct ConversationTests {
    let service = TestService()
    let conversation = Conversation()

    @Test func aMessageIsShown() async throws {
        let client = LifelineClient(service.pusher())
        try await client.connect()
        try await conversation.open("room", of: client)
        try await service.until { service.waitingLoopCount == 2 }

        try await service.deliver("hello", on: "room")

        #expect(conversation.lines == ["\"hello\""])
        conversation.close()
    }
}
