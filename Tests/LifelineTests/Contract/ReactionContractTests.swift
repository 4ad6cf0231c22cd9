import Lifeline
import Testing

/// Run for every kind of channel of every service.
@Suite("Every service: reactions to messages", .serialized, .timeLimit(.minutes(2)))
struct ReactionContractTests {
    /// A change in short.
    private func word(_ change: ReactionChange?) -> String? {
        switch change {
        case .added(let reaction)?: "\(reaction.user) \(reaction.name)"
        case .removed(let reaction)?: "\(reaction.user) not \(reaction.name)"
        case .missed?: "missed"
        case nil: nil
        }
    }

    @Test(arguments: ServiceUnderTest.allCases)
    func `LL-125, LL-126: reactions are added, removed, told and asked for, or unsupported`(
        _ kind: ServiceUnderTest
    ) async throws {
        try await Stage.run(kind) { stage in
            let (_, room) = try await stage.joined("ann")
            let channel = room.channel
            guard kind.hasReactions else {
                let expected = LifelineError.unsupported(feature: "reactions to messages", service: kind.serviceName)
                #expect(#expect(throws: LifelineError.self) { _ = try room.reactions } == expected)
                for attempt in [
                    { try await channel.addReaction("👍", to: "1") }, { try await channel.removeReaction("👍", from: "1") },
                    { _ = try await channel.reactions(to: "1") },
                ] as [() async throws -> Void] {
                    #expect(await #expect(throws: LifelineError.self) { try await attempt() } == expected)
                }
                return
            }
            let (_, talk) = try await stage.joined("ben")
            let messages = room.messages
            try await talk.tick(1)
            let first = try #require(await messages.first { _ in true })
            let id = try #require(first.id)
            var (anns, bens) = (try room.reactions.makeAsyncIterator(), try talk.reactions.makeAsyncIterator())
            try await talk.channel.addReaction("👍", to: id)
            guard case .added(let reaction)? = await anns.next() else { return #expect(Bool(false), "nothing was added") }
            #expect(reaction.messageID == id && reaction.user == "ben" && reaction.name == "👍" && reaction.addedAt != nil)
            #expect(word(await bens.next()) == "ben 👍")
            try await talk.channel.addReaction("👍", to: id)
            try await channel.addReaction("👍", to: id)
            try await channel.addReaction("🎉", to: id)
            #expect(word(await anns.next()) == "ann 👍")
            #expect(word(await anns.next()) == "ann 🎉")
            #expect(try await channel.reactions(to: id).map { "\($0.user) \($0.name)" } == ["ben 👍", "ann 👍", "ann 🎉"])
            for _ in 0..<2 { try await channel.removeReaction("👍", from: id) }
            #expect(word(await anns.next()) == "ann not 👍")
            #expect(try await channel.reactions(to: id).map { "\($0.user) \($0.name)" } == ["ben 👍", "ann 🎉"])
            // None of it is a message.
            try await talk.tick(2)
            #expect(try await messages.first { _ in true }?.decode(Tick.self).n == 2)
            for (name, id) in [("👍", "x"), ("👍", "0"), ("👍", "1"), ("", id)] {
                let error = await #expect(throws: LifelineError.self) { try await channel.addReaction(name, to: id) }
                #expect(error?.code == .badRequest, "\(name) to \(id)")
            }
            #expect(try await channel.reactions(to: "1").isEmpty)
        }
    }

    @Test(arguments: ServiceUnderTest.allCases.filter(\.isEncrypted))
    func `LL-127: a client that insists on encryption has no reactions`(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let ann = try await stage.client("ann", requiresEncryption: true)
            let channel = ann.channel(kind.channel)
            #expect(!channel.supports(.reactions))
            let error = await #expect(throws: LifelineError.self) { try await channel.addReaction("👍", to: "1") }
            #expect(error == .unsupported(feature: "encryption of reactions", service: kind.serviceName))
        }
    }
}
