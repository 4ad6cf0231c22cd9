import Lifeline
import LifelineTesting
import Testing

/// Who types, in tests of apps.
@Suite(.timeLimit(.minutes(5))) struct TypingTests {
    @Test(arguments: [Face.pusher, .pubnub]) func `LL-121: somebody types, stops, and is forgotten after 6 s`(
        face: Face
    ) async throws {
        let it = try await Connected(face)
        let typing = try it.room.typing
        try await it.service.startTyping("ann", on: face.channel)
        try await it.service.startTyping("ben", on: face.channel)
        #expect(typing.current == ["ann", "ben"])
        try await it.service.stopTyping("ann", on: face.channel)
        #expect(typing.current == ["ben"])
        try await it.service.advance(by: .seconds(6))
        #expect(typing.current.isEmpty)
        try await typing.keystroke()
        try await it.service.settle()
        #expect(it.service.published(on: face.channel).isEmpty)
    }

    @Test func `LL-123: on chat's direct channels it is always the other one`() async throws {
        let it = try await Connected(.chat)
        #expect(!it.room.channel.supports(.typing))
        let room = try await it.client.channel("direct:ben").subscribe()
        try await it.service.startTyping("ben", on: "direct:ben")
        #expect(try room.typing.current == ["ben"])
        try await room.typing.keystroke()
    }
}
