import Lifeline
import Testing

/// Run for every kind of channel of every service.
@Suite("Every service: history", .serialized, .timeLimit(.minutes(2)))
struct HistoryContractTests {
    @Test("LL-20: the last messages, oldest first, or history is unsupported", arguments: ServiceUnderTest.allCases)
    func last(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let (_, room) = try await stage.joined("ann")
            guard kind.hasHistory else {
                let expected = LifelineError.unsupported(feature: "message history", service: kind.serviceName)
                #expect(await #expect(throws: LifelineError.self) { _ = try await room.history(last: 5) } == expected)
                #expect(await #expect(throws: LifelineError.self) { _ = try await room.history() } == expected)
                return
            }
            let messages = room.messages
            let (_, talk) = try await stage.joined("ben")
            for n in 1...25 { try await talk.tick(n) }
            var live: [Message] = []
            for await message in messages.prefix(25) { live.append(message) }
            let kept = try await room.history(last: 10)
            #expect(try kept.map { try $0.decode(Tick.self).n } == Array(16...25))
            // As they came.
            #expect(kept.map(\.id) == live.suffix(10).map(\.id))
            #expect(kept.map(\.publishedAt) == live.suffix(10).map(\.publishedAt))
            #expect(kept.allSatisfy { $0.user == "ben" && $0.event == "tick" && $0.channel == kind.channel })
            #expect(try await room.history(last: 500).count == 25)
            let none = await #expect(throws: LifelineError.self) { _ = try await room.history(last: 0) }
            #expect(none?.code == .badRequest)
        }
    }

    @Test(
        "LL-20: pages follow each other without a hole and without overlap",
        arguments: ServiceUnderTest.allCases.filter(\.hasHistory))
    func pages(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let (_, room) = try await stage.joined("ann")
            for n in 1...25 { try await room.tick(n) }
            var numbers: [[Int]] = []
            var before: String?
            repeat {
                let page = try await room.history(before: before, limit: 10)
                #expect(page.failures.isEmpty)
                numbers.append(try page.messages.map { try $0.decode(Tick.self).n })
                before = page.older
            } while before != nil && numbers.count < 10
            #expect(numbers.filter { !$0.isEmpty } == [Array(16...25), Array(6...15), Array(1...5)])
            let fifth = try #require(try await room.history(last: 21).first?.id)
            #expect(try await room.history(before: fifth).messages.map { try $0.decode(Tick.self).n } == Array(1...4))
            for bad in ["nonsense", ""] {
                let error = await #expect(throws: LifelineError.self) { _ = try await room.history(before: bad) }
                #expect(error?.code == .badRequest)
            }
            let none = await #expect(throws: LifelineError.self) { _ = try await room.history(limit: 0) }
            #expect(none?.code == .badRequest)
        }
    }
}
