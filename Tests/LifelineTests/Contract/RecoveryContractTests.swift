import Lifeline
import Testing

/// Run for every kind of channel of Pusher. Those of others are in `JoinedContractTests`.
@Suite("Pusher: going on behind a message (RV-24)", .serialized, .timeLimit(.minutes(2)))
struct RecoveryContractTests {
    private static let kinds = ServiceUnderTest.allCases.filter(\.isPusher)

    private func told(_ deliveries: JoinedDeliveries, _ count: Int) async throws -> [Told?] {
        var told: [Told?] = []
        for await delivery in deliveries.prefix(count) { told.append(Told(delivery)) }
        return told
    }

    /// Publishes so many ticks, and returns the id of the second one.
    private func published(_ count: Int, _ talk: Room, to room: Room) async throws -> String {
        let messages = room.messages
        for n in 1...count { try await talk.tick(n) }
        var ids: [String?] = []
        for await message in messages.prefix(count) { ids.append(message.id) }
        #expect(Set(ids).count == count)
        return try #require(ids[1])
    }

    @Test(arguments: kinds)
    func `RV-24: another room goes on behind a message; what the server does not keep is a gap`(
        _ kind: ServiceUnderTest
    ) async throws {
        try await Stage.run(kind) { stage in
            let (ann, room) = try await stage.joined("ann")
            let (_, talk) = try await stage.joined("ben")
            let second = try await published(4, talk, to: room)
            let late = try await ann.channel(kind.channel).subscribe()
            let deliveries = try await late.deliveries(since: .position(second))
            let more = room.messages
            try await talk.tick(5)
            // Client events are not kept (RV-6).
            let expected: [Told] = kind.catchesUp ? [.message(3), .message(4), .message(5)] : [.gap, .message(5)]
            #expect(try await told(deliveries, expected.count) == expected)
            // The first room has nothing twice.
            #expect(try await more.first { _ in true }?.decode(Tick.self).n == 5)
            let forgotten = try await late.deliveries(since: .position("nowhere:1"))
            try await talk.tick(6)
            #expect(try await told(forgotten, 2) == [.gap, .message(6)])
        }
    }

    @Test(arguments: kinds.filter(\.catchesUp))
    func `RV-24: an app that was started anew goes on behind the last message that it had`(
        _ kind: ServiceUnderTest
    ) async throws {
        try await Stage.run(kind) { stage in
            var ann: (client: LifelineClient, room: Room)? = try await stage.joined("ann")
            let (_, talk) = try await stage.joined("ben")
            let second = try await published(2, talk, to: try #require(ann).room)
            await ann?.client.disconnect()
            ann = nil
            for n in 3...4 { try await talk.tick(n) }
            let (_, room) = try await stage.joined("ann")
            try await talk.tick(5)
            let deliveries = try await room.deliveries(since: .position(second))
            try await talk.tick(6)
            #expect(try await told(deliveries, 4) == [.message(3), .message(4), .message(5), .message(6)])
            // Nobody saw the second connection come or go.
            guard kind.hasPresence else { return }
            #expect(try talk.presence.members.map(\.id).sorted() == ["ann", "ben"])
        }
    }

    @Test(arguments: kinds)
    func `RV-24: what is no position is refused, and other starts are unsupported`(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let (_, room) = try await stage.joined("ann")
            for id in ["", "x", "1", "a b:1", "epoch:"] {
                let error = await #expect(throws: LifelineError.self) { _ = try await room.deliveries(since: .position(id)) }
                #expect(error?.code == .badRequest, "\(id)")
            }
            let expected = LifelineError.unsupported(feature: "message history", service: kind.serviceName)
            for start in [.last(1), .date(.distantPast)] as [HistoryStart] {
                #expect(await #expect(throws: LifelineError.self) { _ = try await room.deliveries(since: start) } == expected)
            }
        }
    }
}
