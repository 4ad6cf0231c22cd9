import Testing

@testable import Lifeline

/// Run for every kind of channel of every service.
@Suite("Every service: ends", .serialized, .timeLimit(.minutes(2)))
struct EndingContractTests {
    @Test("LL-1: with the client everything ends: sequences, and every connection", arguments: ServiceUnderTest.allCases)
    func released(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let (statuses, events, deliveries) = try await Self.sequences(stage)
            for await _ in statuses {}
            for await _ in events {}
            for await _ in deliveries {}
            await stage.relay.untilNobodyIsConnected()
        }
    }

    /// The client and its room live no longer than this call.
    private static func sequences(_ stage: Stage) async throws -> (StatusChanges, ClientEvents, Deliveries) {
        let (ann, room) = try await stage.joined("ann", relayed: true)
        return (ann.statuses, ann.events, room.deliveries)
    }

    @Test("LL-1: a room keeps its client", arguments: ServiceUnderTest.allCases)
    func kept(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let room = try await stage.joined("ann").room
            let (_, talk) = try await stage.joined("ben")
            try await talk.tick(1)
            #expect(try await room.messages.first { _ in true }?.decode(Tick.self).n == 1)
            #expect(!room.isEnded)
        }
    }

    @Test("A connection that ended answers whoever waits", arguments: ServiceUnderTest.allCases)
    func disconnectedWhileSubscribing(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            stage.relay.swallowAnswers()
            let ann = try await stage.client("ann", relayed: true)
            let statuses = ann.statuses
            let subscribing = Task { await ann.refusalOfSubscribing(kind.channel) }
            let connecting = Task { () async -> LifelineError? in
                do throws(LifelineError) {
                    try await ann.connect()
                    return nil
                } catch { return error }
            }
            _ = await statuses.first { $0.phase == .connecting }
            // Whoever asks after the end of one connection waits for the next.
            while !ann.isAsked { await Task.yield() }
            ann.settle()
            await ann.disconnect()
            #expect(await connecting.value?.code == .disconnected)
            // The caller is known a moment before its question is, so the first time may have been too early.
            let disconnecting = Task {
                while !Task.isCancelled {
                    await ann.disconnect()
                    await Task.yield()
                }
            }
            #expect(await subscribing.value?.code == .disconnected)
            disconnecting.cancel()
            await disconnecting.value
            #expect(ann.status.phase == .disconnected)
        }
    }

    @Test("LL-11: disconnecting returns also when another task connects at once", arguments: ServiceUnderTest.allCases)
    func disconnectedWhileConnecting(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let ann = try await stage.client("ann")
            for _ in 0..<5 {
                try await ann.connect(timeout: .seconds(30))
                let connecting = Task {
                    // Refused only when the disconnection came last.
                    while !Task.isCancelled {
                        try? await ann.connect(timeout: .seconds(30))
                        // It returns at once when the client is connected.
                        await Task.yield()
                    }
                }
                await ann.disconnect()
                connecting.cancel()
                _ = await connecting.value
            }
            await ann.disconnect()
            #expect(ann.status.phase == .disconnected)
        }
    }

    @Test("LL-35: disconnecting what is not connected answers whoever waits for it", arguments: ServiceUnderTest.allCases)
    func disconnectedBeforeConnecting(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let ann = try await stage.client("ann")
            for wasConnected in [false, true] {
                if wasConnected {
                    try await ann.connect(timeout: .seconds(30))
                    await ann.disconnect()
                }
                let subscribing = Task { await ann.refusalOfSubscribing(kind.channel) }
                while ann.core.hub.rooms(of: kind.channel).isEmpty { await Task.yield() }
                // The feed is there a moment before the question is, so the first time may be too early.
                let disconnecting = Task {
                    while !Task.isCancelled {
                        await ann.disconnect()
                        await Task.yield()
                    }
                }
                #expect(await subscribing.value?.code == .disconnected)
                disconnecting.cancel()
                await disconnecting.value
            }
            try await ann.connect(timeout: .seconds(30))
            let room = try await ann.channel(kind.channel).subscribe()
            let (_, talk) = try await stage.joined("ben")
            try await talk.tick(1)
            #expect(try await room.messages.first { _ in true }?.decode(Tick.self).n == 1)
        }
    }

    @Test(
        "LL-35: after a failure for good a subscription fails with its cause, until connect",
        arguments: ServiceUnderTest.allCases)
    func subscribingAfterFailure(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            stage.relay.swallowAnswers()
            let ann = try await stage.client("ann", relayed: true)
            let failed = await #expect(throws: LifelineError.self) { try await ann.connect(timeout: .milliseconds(300)) }
            #expect(failed?.code == .timeout)
            let error = await #expect(throws: LifelineError.self) { _ = try await ann.channel(kind.channel).subscribe() }
            #expect(error?.code == .timeout)
            stage.relay.refuse()
            stage.relay.pass()
            try await ann.connect(timeout: .seconds(30))
            let room = try await ann.channel(kind.channel).subscribe()
            let (_, talk) = try await stage.joined("ben")
            try await talk.tick(1)
            #expect(try await room.messages.first { _ in true }?.decode(Tick.self).n == 1)
        }
    }
}
