import Lifeline
import LifelineTesting
import Testing

/// Reactions to messages, in tests of apps.
@Suite(.timeLimit(.minutes(5))) struct ReactionTests {
    @Test func `LL-125: somebody reacts, and so does the app`() async throws {
        let it = try await Connected(.pubnub)
        let channel = it.room.channel
        guard case .accepted(let id?) = try await channel.publish("hello") else { return #expect(Bool(false), "not accepted") }
        var changes = try it.room.reactions.makeAsyncIterator()
        try await it.service.addReaction("👍", to: id, on: "room", from: "ann")
        guard case .added(let reaction)? = await changes.next() else { return #expect(Bool(false), "nothing was added") }
        #expect(reaction.user == "ann" && reaction.messageID == id)
        try await channel.addReaction("👍", to: id)
        try await channel.addReaction("👍", to: id)
        #expect(try await channel.reactions(to: id).map(\.name) == ["👍", "👍"])
        try await channel.removeReaction("👍", from: id)
        try await it.service.removeReaction("👍", from: id, on: "room", of: "ann")
        #expect(try await channel.reactions(to: id).isEmpty)
        var others = 0
        for _ in 0..<3 { if case .removed? = await changes.next() { others += 1 } }
        #expect(others == 2)
        await #expect(throws: TestServiceError.self) {
            try await it.service.removeReaction("👍", from: id, on: "room", of: "ann")
        }
        await #expect(throws: TestServiceError.self) { try await it.service.addReaction("👍", to: "1", on: "room", from: "ann") }
        let error = await #expect(throws: LifelineError.self) { try await channel.addReaction("👍", to: "1") }
        #expect(error?.code == .badRequest)
    }
}
