import Testing

@testable import Lifeline

/// Run for every kind of channel of every service, on sockets.
@Suite("Every service: the outbox", .serialized, .timeLimit(.minutes(2)))
struct OutboxContractTests {
    @Test("LL-93: what is enqueued in an outage arrives after it, in order and once", arguments: ServiceUnderTest.allCases)
    func inOutage(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let (room, ben, talk) = try await stage.outage()
            let messages = room.messages
            let outbox = try await ben.outbox()
            let receipts = try (1...5).map { try outbox.publish(Tick(n: $0), to: talk.name, event: "tick") }
            #expect(outbox.entries.map(\.state) == Array(repeating: .waiting, count: 5))
            stage.relay.pass()
            for receipt in receipts { #expect(try await receipt.outcome().isAccepted) }
            let (_, other) = try await stage.joined("cat")
            try await other.tick(6)
            var numbers: [Int] = []
            while numbers.last != 6, let message = await messages.first(matching: { _ in true }) {
                numbers.append(try message.decode(Tick.self).n)
            }
            #expect(numbers == [1, 2, 3, 4, 5, 6])
            await outbox.close()
        }
    }

    @Test("LL-96: a message whose answer was lost is seen once", arguments: ServiceUnderTest.allCases)
    func withoutAnswer(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let (_, room) = try await stage.joined("ann")
            let messages = room.messages
            let (ben, talk) = try await stage.joined("ben", relayed: true, timing: .fast)
            let outbox = try await ben.outbox()
            stage.relay.swallowAnswers()
            let first = try outbox.publish(Tick(n: 1), to: talk.name, event: "tick")
            var iterator = messages.makeAsyncIterator()
            #expect(try await iterator.next()?.decode(Tick.self).n == 1)
            // The server has it; the publisher never hears so.
            stage.relay.refuse()
            // Otherwise an answer that was on its way would pass a line that is about to be closed.
            await stage.relay.untilNobodyIsConnected()
            stage.relay.pass()
            // Not before: a relay that closes each new line would make the outcome of this one unknown as well.
            let second = try outbox.publish(Tick(n: 2), to: talk.name, event: "tick")
            let outcome = try await first.outcome()
            switch kind {
            case .chatOpen, .chatGroup: #expect(outcome.isAccepted)
            default:
                guard case .unknown = outcome else {
                    Issue.record("\(outcome)")
                    return
                }
            }
            // The next message goes all the same.
            #expect(try await second.outcome().isAccepted)
            #expect(try await iterator.next()?.decode(Tick.self).n == 2)
            await outbox.close()
        }
    }
}
