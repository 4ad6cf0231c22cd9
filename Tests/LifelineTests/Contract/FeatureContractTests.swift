import Lifeline
import Testing

/// Run for every kind of channel of every service.
@Suite("Every service: what is supported (LL-87)", .serialized, .timeLimit(.minutes(2)))
struct FeatureContractTests {
    /// Whether a call does not say that it is unsupported, or that the name cannot be used. Other failures come from the service.
    private func isDone(_ body: () async throws -> Void) async -> Bool {
        do {
            try await body()
            return true
        } catch let error as LifelineError {
            return error.code != .unsupported && error.code != .badRequest
        } catch {
            return true
        }
    }

    @Test("What a channel says that it supports is done, and nothing else", arguments: ServiceUnderTest.allCases)
    func features(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let (client, room) = try await stage.joined("ann")
            let channel = client.channel(kind.channel)
            let publishes = await isDone { _ = try await channel.publish(1) }
            let tells = await isDone { _ = try await channel.history(last: 1) }
            let asks = await isDone { _ = try await channel.members() }
            let watches = await isDone { _ = try room.presence }
            let changes = await isDone { try await room.presence.setOwnData(["mood": "busy"]) }
            let types = await isDone { try await room.typing.keystroke() }
            let reacts = await isDone { _ = try room.reactions }
            let id = kind.isPusher ? "epoch:1" : "1"
            let resumes = await isDone { _ = try await room.deliveries(since: .position(id)) }
            #expect(channel.supports(.resuming) == resumes && resumes)
            #expect(channel.supports(.subscribing))
            #expect(channel.supports(.publishing) == publishes)
            #expect(channel.supports(.history) == tells && tells == kind.hasHistory)
            #expect(channel.supports(.members) == asks && asks == kind.tellsMembers)
            #expect(channel.supports(.presence) == watches && watches == kind.hasPresence)
            #expect(channel.supports(.ownPresenceData) == changes && changes == kind.changesOwnPresence)
            #expect(channel.supports(.typing) == types && types == kind.showsTyping)
            #expect(channel.supports(.reactions) == reacts && reacts == kind.hasReactions)
            #expect(channel.supports(.encryption) == kind.isEncrypted)
            #expect(!channel.supports(ChannelFeature(rawValue: "teleportation")))
            for name in kind.badNames {
                #expect(!client.channel(name).supports(.publishing), "\(name.prefix(20))")
                #expect(!client.channel(name).supports(.subscribing), "\(name.prefix(20))")
            }
        }
    }
}
