import Lifeline
import LifelineTesting
import Testing

/// The short example of the documentation for a call that waits while the test goes on.
@Test func `LT-17: a publication without an answer is not accepted`() async throws {
    let service = TestService()
    let client = LifelineClient(service.pubnub())
    try await client.connect()
    let room = try await client.channel("room").subscribe()

    service.answerPublishing(.unanswered)
    async let outcome = room.publish("hello")
    try await service.until { !service.published().isEmpty }
    try await service.advance(by: .seconds(10))
    #expect(try await outcome.isAccepted == false)
}
