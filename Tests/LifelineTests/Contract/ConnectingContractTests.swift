import Lifeline
import Testing

/// Run for every kind of channel of every service.
@Suite("Every service: connecting", .serialized, .timeLimit(.minutes(2)))
struct ConnectingContractTests {
    @Test("Statuses tell each step, once", arguments: ServiceUnderTest.allCases)
    func statuses(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let ann = try await stage.client("ann")
            let statuses = ann.statuses
            #expect(ann.status.phase == .idle)
            try await ann.connect(timeout: .seconds(30))
            #expect(ann.status.phase == .connected)
            await ann.disconnect()
            #expect(ann.status.phase == .disconnected)
            var told: [ConnectionStatus] = []
            for await status in statuses.prefix(4) { told.append(status) }
            #expect(told.map(\.phase) == [.connecting, .connected, .disconnecting, .disconnected])
            #expect(told.map(\.previous) == [.idle, .connecting, .connected, .disconnecting])
            #expect(told.allSatisfy { $0.cause == nil && !$0.willRetry })
            #expect(told.last?.category == .disconnected)
        }
    }

    @Test("A disconnected client connects again, and its channels come back by themselves", arguments: ServiceUnderTest.allCases)
    func again(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let (ann, room) = try await stage.joined("ann")
            let messages = room.messages
            await ann.disconnect()
            #expect(!room.isEnded)
            let events = ann.events
            try await ann.connect(timeout: .seconds(30))
            let renewed = await events.first { if case .subscribed = $0 { true } else { false } }
            guard case .subscribed(kind.channel, _, _)? = renewed else {
                Issue.record("\(String(describing: renewed))")
                return
            }
            let (_, other) = try await stage.joined("ben")
            try await other.tick(1)
            #expect(try await messages.first { _ in true }?.decode(Tick.self).n == 1)
        }
    }

    @Test("Without an answer connect ends with its time limit, and the status is failed", arguments: ServiceUnderTest.allCases)
    func noAnswer(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            stage.relay.swallowAnswers()
            let ann = try await stage.client("ann", relayed: true)
            let error = await #expect(throws: LifelineError.self) { try await ann.connect(timeout: .milliseconds(300)) }
            #expect(error?.code == .timeout)
            #expect(ann.status.phase == .failed)
        }
    }

    @Test("Whoever cancels stops waiting; the client goes on connecting", arguments: ServiceUnderTest.allCases)
    func cancelled(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            stage.relay.swallowAnswers()
            let ann = try await stage.client("ann", relayed: true)
            let statuses = ann.statuses
            let connecting = Task { () async -> LifelineError? in
                do throws(LifelineError) {
                    try await ann.connect()
                    return nil
                } catch { return error }
            }
            _ = await statuses.first { $0.phase == .connecting }
            connecting.cancel()
            #expect(await connecting.value?.code == .cancelled)
            #expect(!ann.status.phase.isTerminal)
            stage.relay.refuse()
            stage.relay.pass()
            try await ann.connect(timeout: .seconds(30))
        }
    }

    @Test("A call before the connection waits for it", arguments: ServiceUnderTest.allCases)
    func subscribeFirst(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let ann = try await stage.client("ann")
            async let room = ann.channel(kind.channel).subscribe()
            try await ann.connect(timeout: .seconds(30))
            let messages = try await room.messages
            let (_, other) = try await stage.joined("ben")
            try await other.tick(1)
            #expect(try await messages.first { _ in true }?.decode(Tick.self).n == 1)
        }
    }
}
