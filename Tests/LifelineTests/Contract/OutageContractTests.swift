import Lifeline
import Testing

/// Run for every kind of channel of every service.
@Suite("Every service: outages", .serialized, .timeLimit(.minutes(2)))
struct OutageContractTests {
    @Test(
        "After an outage everything goes on; what was missed comes late, or a gap is declared",
        arguments: ServiceUnderTest.allCases)
    func outage(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let (ann, room) = try await stage.joined("ann", relayed: true, timing: .fast)
            let (_, talk) = try await stage.joined("ben")
            let (deliveries, events, statuses) = (room.deliveries, ann.events, ann.statuses)
            try await talk.tick(1)
            var iterator = deliveries.makeAsyncIterator()
            #expect(Told(await iterator.next()) == .message(1))
            stage.relay.refuse()
            _ = await statuses.first { $0.phase == .waiting }
            try await talk.tick(2)
            stage.relay.pass()
            _ = await events.first { if case .subscribed(_, isRenewal: true, _) = $0 { true } else { false } }
            try await talk.tick(3)
            var told: [Told?] = []
            while told.last != .message(3), let delivery = await iterator.next() {
                // A question who is there may have been under way, and is asked again.
                if case .failed(_, willRetry: true) = delivery { continue }
                told.append(Told(delivery))
            }
            #expect(told == (kind.catchesUp ? [.message(2), .message(3)] : [.gap, .message(3)]))
        }
    }

    @Test(
        "LL-110: an outage is the same for all rooms of a channel, and a caller that gives up in it changes nothing",
        arguments: ServiceUnderTest.allCases)
    func rooms(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let (ann, room) = try await stage.joined("ann", relayed: true, timing: .fast)
            let again = try await ann.channel(kind.channel).subscribe()
            let ended = try await ann.channel(kind.channel).subscribe()
            let (_, talk) = try await stage.joined("ben")
            let (first, second, statuses) = (room.deliveries, again.deliveries, ann.statuses)
            stage.relay.refuse()
            _ = await statuses.first { $0.phase == .waiting }
            ended.unsubscribe()
            let subscribing = Task { await ann.refusalOfSubscribing(kind.channel) }
            while !ann.isAsked { await Task.yield() }
            subscribing.cancel()
            #expect(await subscribing.value?.code == .cancelled)
            let events = ann.events
            try await talk.tick(1)
            stage.relay.pass()
            _ = await events.first { if case .subscribed(_, isRenewal: true, _) = $0 { true } else { false } }
            try await talk.tick(2)
            for deliveries in [first, second] {
                var told: [Told?] = []
                for await delivery in deliveries {
                    if case .failed(_, willRetry: true) = delivery { continue }
                    told.append(Told(delivery))
                    if told.last == .message(2) { break }
                }
                #expect(told == (kind.catchesUp ? [.message(1), .message(2)] : [.gap, .message(2)]))
            }
        }
    }

    @Test("A server that comes back without its memory is a gap", arguments: ServiceUnderTest.allCases)
    func forgetfulServer(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let (ann, room) = try await stage.joined("ann", relayed: true, timing: .fast)
            let (deliveries, events, statuses) = (room.deliveries, ann.events, ann.statuses)
            let (_, talk) = try await stage.joined("ben")
            try await talk.tick(1)
            var iterator = deliveries.makeAsyncIterator()
            #expect(Told(await iterator.next()) == .message(1))
            // Taken by the server, and never on its way to ann.
            stage.relay.swallowAnswers()
            try await talk.tick(2)
            let heir = try await stage.startedAnew()
            stage.relay.refuse()
            _ = await statuses.first { $0.phase == .waiting }
            stage.relay.pass(to: heir.port)
            _ = await events.first { if case .subscribed(_, isRenewal: true, _) = $0 { true } else { false } }
            let (_, other) = try await Stage(kind: kind, server: heir, relay: stage.relay).joined("ben")
            try await other.tick(3)
            var told: [Told?] = []
            while told.last != .message(3), let delivery = await iterator.next() {
                if case .failed(_, willRetry: true) = delivery { continue }
                told.append(Told(delivery))
            }
            #expect(told == [.gap, .message(3)])
            try await heir.stop()
        }
    }

    @Test(
        "Statuses of an outage: waiting with cause and pause, then connecting, and connected again",
        arguments: ServiceUnderTest.allCases)
    func statuses(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let (ann, room) = try await stage.joined("ann", relayed: true, timing: .fast)
            let statuses = ann.statuses
            stage.relay.refuse()
            var told: [ConnectionStatus] = []
            for await status in statuses {
                told.append(status)
                if status.phase == .waiting { stage.relay.pass() }
                if status.phase == .connected, told.count > 1 { break }
            }
            #expect(told.first?.phase == .connected)
            #expect(told.last?.category == .reconnected)
            for (index, status) in told.enumerated().dropFirst() where index < told.count - 1 {
                #expect(status.phase == (index % 2 == 1 ? .waiting : .connecting))
                #expect(status.cause != nil)
                guard status.phase == .waiting else { continue }
                #expect(status.willRetry)
                #expect(status.retryIn != nil)
                #expect(status.attempt >= 1)
            }
            #expect(!room.isEnded)
        }
    }
}
