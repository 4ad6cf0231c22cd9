import Lifeline
import Testing

/// Run for one kind of channel of every service: heartbeats are none of a channel's.
@Suite("Every service: how long heartbeats take", .serialized, .timeLimit(.minutes(2)))
struct HeartbeatContractTests {
    @Test(arguments: [.pusherPublic, .pubnub, .chatOpen] as [ServiceUnderTest])
    func `LL-133: a silent connection tells how long its heartbeats take`(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let (ann, room) = try await stage.joined("ann", timing: .fast)
            let latency = try #require(await ann.heartbeatLatencies.first { _ in true })
            #expect(latency > .zero)
            #expect(ann.heartbeatLatency != nil)
            await ann.disconnect()
            #expect(ann.heartbeatLatency == nil)
            withExtendedLifetime(room) {}
        }
    }
}
