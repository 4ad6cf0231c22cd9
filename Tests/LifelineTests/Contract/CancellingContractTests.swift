import Testing

@testable import Lifeline

/// Run for every kind of channel of every service: whoever cancels gets an answer at once, and the client goes on.
@Suite("Every service: cancelling", .serialized, .timeLimit(.minutes(2)))
struct CancellingContractTests {
    @Test("Whoever cancels a loop gets its end; other loops and later ones go on", arguments: ServiceUnderTest.allCases)
    func loops(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let (ann, room) = try await stage.joined("ann")
            let (deliveries, messages, statuses, events) = (room.deliveries, room.messages, ann.statuses, ann.events)
            let loops = [
                Task { for await _ in deliveries {} }, Task { for await _ in statuses {} }, Task { for await _ in events {} },
            ]
            for loop in loops { loop.cancel() }
            for loop in loops { await loop.value }
            let (_, talk) = try await stage.joined("ben")
            let later = room.messages
            try await talk.tick(1)
            for sequence in [messages, later] {
                #expect(try await sequence.first { _ in true }?.decode(Tick.self).n == 1)
            }
            #expect(!room.isEnded)
        }
    }

    @Test(
        "LL-67: a message that waits for the connection is withdrawn, and told so",
        arguments: [.pusherPrivate, .chatOpen, .chatGroup] as [ServiceUnderTest])
    func withdrawn(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let (room, ben, talk) = try await stage.outage()
            let messages = room.messages
            let publishing = Task { try await talk.publish(Tick(n: 1), event: "tick") }
            // Cancelled before or after it is asked for: it is not sent either way.
            await Task.yield()
            publishing.cancel()
            guard case .refused(let error) = try await publishing.value else {
                Issue.record("\(try await publishing.value)")
                return
            }
            #expect(error.code == .cancelled)
            let again = ben.statuses
            stage.relay.pass()
            _ = await again.first { $0.phase == .connected }
            try await talk.tick(2)
            #expect(try await messages.first { _ in true }?.decode(Tick.self).n == 2)
        }
    }

    @Test("Of two who wait for a channel one may cancel, and the other gets it", arguments: ServiceUnderTest.allCases)
    func oneOfTwo(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let ann = try await stage.client("ann")
            let channel = ann.channel(kind.channel)
            let tasks = (0..<2).map { _ in Task { try await channel.subscribe() } }
            while ann.core.hub.rooms(of: kind.channel).count < 2 { await Task.yield() }
            tasks[0].cancel()
            let error = await #expect(throws: LifelineError.self) { _ = try await tasks[0].value }
            #expect(error?.code == .cancelled)
            try await ann.connect(timeout: .seconds(30))
            let room = try await tasks[1].value
            let (_, talk) = try await stage.joined("ben")
            try await talk.tick(1)
            #expect(try await room.messages.first { _ in true }?.decode(Tick.self).n == 1)
        }
    }

    @Test("Subscribing, cancelling and subscribing again leaves a channel that works", arguments: ServiceUnderTest.allCases)
    func overAndOver(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let ann = try await stage.client("ann")
            try await ann.connect(timeout: .seconds(30))
            let channel = ann.channel(kind.channel)
            // As a view does that appears and disappears faster than the service answers.
            for _ in 0..<10 {
                let task = Task { try await channel.subscribe() }
                task.cancel()
                // Cancelled, or confirmed before.
                _ = await task.result
            }
            let room = try await channel.subscribe()
            let (_, talk) = try await stage.joined("ben")
            try await talk.tick(1)
            #expect(try await room.messages.first { _ in true }?.decode(Tick.self).n == 1)
        }
    }

    @Test("Whoever cancels a question stops waiting for its answer", arguments: ServiceUnderTest.allCases.filter(\.tellsMembers))
    func questions(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let (ann, room) = try await stage.joined("ann", relayed: true)
            try await room.tick(1)
            stage.relay.swallowAnswers()
            let channel = room.channel
            var questions: [Task<Void, any Error>] = [Task { _ = try await channel.members() }]
            if kind.hasHistory { questions.append(Task { _ = try await channel.history(last: 1) }) }
            for question in questions {
                question.cancel()
                let error = await #expect(throws: LifelineError.self) { try await question.value }
                #expect(error?.code == .cancelled)
            }
            let statuses = ann.statuses
            stage.relay.refuse()
            _ = await statuses.first { $0.phase == .waiting }
            stage.relay.pass()
            try await ann.connect(timeout: .seconds(30))
            _ = try await channel.subscribe()
            #expect(try await channel.members().contains { $0.id == "ann" })
            guard kind.hasHistory else { return }
            #expect(try await channel.history(last: 1).map { try $0.decode(Tick.self).n } == [1])
        }
    }
}
