import Foundation
import Lifeline
import Testing

/// Run for every kind of channel with a history.
@Suite("Every service: history and live in one (LL-89)", .serialized, .timeLimit(.minutes(2)))
struct JoinedContractTests {
    private static let kinds = ServiceUnderTest.allCases.filter(\.hasHistory)

    private func numbers(_ deliveries: JoinedDeliveries, _ count: Int) async throws -> [Told?] {
        var told: [Told?] = []
        var iterator = deliveries.makeAsyncIterator()
        while told.count < count, let delivery = await iterator.next() {
            if case .failed(_, willRetry: true) = delivery { continue }
            told.append(Told(delivery))
        }
        return told
    }

    @Test("The last messages come first, then the live ones, each once and in order", arguments: kinds)
    func last(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let (_, talk) = try await stage.joined("ben")
            for n in 1...5 { try await talk.tick(n) }
            let (_, room) = try await stage.joined("ann")
            // Comes live, and is in the history as well.
            try await talk.tick(6)
            let deliveries = try await room.deliveries(since: .last(3))
            for n in 7...8 { try await talk.tick(n) }
            #expect(try await numbers(deliveries, 5) == [.message(4), .message(5), .message(6), .message(7), .message(8)])
        }
    }

    @Test("From a position on nothing is missing; a position that the history does not have is a gap", arguments: kinds)
    func position(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let (_, talk) = try await stage.joined("ben")
            for n in 1...4 { try await talk.tick(n) }
            let (_, room) = try await stage.joined("ann")
            let second = try #require(try await room.history(last: 3).first?.id)
            let deliveries = try await room.deliveries(since: .position(second))
            try await talk.tick(5)
            #expect(try await numbers(deliveries, 3) == [.message(3), .message(4), .message(5)])
            let forgotten = try await room.deliveries(since: .position("1"))
            #expect(try await numbers(forgotten, 2) == [.gap, .message(1)])
            let error = await #expect(throws: LifelineError.self) { _ = try await room.deliveries(since: .position("x")) }
            #expect(error?.code == .badRequest)
        }
    }

    @Test("A time of before everything gives everything, one of the future only what is live", arguments: kinds)
    func date(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let (_, talk) = try await stage.joined("ben")
            for n in 1...2 { try await talk.tick(n) }
            let (_, room) = try await stage.joined("ann")
            let all = try await room.deliveries(since: .date(.distantPast))
            let none = try await room.deliveries(since: .date(.distantFuture))
            try await talk.tick(3)
            #expect(try await numbers(all, 3) == [.message(1), .message(2), .message(3)])
            #expect(try await numbers(none, 1) == [.message(3)])
        }
    }

    @Test("LL-110: each room of a channel begins in the history where it wants", arguments: kinds)
    func rooms(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let (_, talk) = try await stage.joined("ben")
            for n in 1...3 { try await talk.tick(n) }
            let (ann, live) = try await stage.joined("ann")
            try await talk.tick(4)
            // A member of a group is told of earlier messages as well.
            #expect(try await live.messages.first { try $0.decode(Tick.self).n == 4 } != nil)
            let late = try await ann.channel(kind.channel).subscribe()
            let deliveries = try await late.deliveries(since: .last(2))
            live.unsubscribe()
            try await talk.tick(5)
            #expect(try await numbers(deliveries, 3) == [.message(3), .message(4), .message(5)])
        }
    }

    @Test("Without a history it is unsupported", arguments: ServiceUnderTest.allCases.filter { !$0.hasHistory })
    func unsupported(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let (_, room) = try await stage.joined("ann")
            let error = await #expect(throws: LifelineError.self) { _ = try await room.deliveries(since: .last(1)) }
            #expect(error == .unsupported(feature: "message history", service: kind.serviceName))
        }
    }
}
