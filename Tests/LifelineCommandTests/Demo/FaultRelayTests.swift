import Lifeline
import LifelineServer
import Testing

@testable import LifelineCommand

@Suite("The relay that breaks the line", .timeLimit(.minutes(1)))
struct FaultRelayTests {
    @Test("A cut is noticed at once and mended at once")
    func cut() async throws {
        try await withLine { client, relay in
            let statuses = client.statuses
            relay.cut()
            let told = await phases(statuses, until: .connected, after: .waiting)
            #expect(told == [.connected, .waiting, .connecting, .connected])
        }
    }

    @Test("A mute line closes nothing and carries nothing; what was mute stays dead")
    func mute() async throws {
        try await withLine { client, relay in
            let statuses = client.statuses
            relay.mute()
            var cause: StatusCategory?
            for await status in statuses where status.phase == .waiting {
                cause = status.category
                break
            }
            #expect(cause == .timeout)
            relay.unmute()
            try await client.connect()
        }
    }

    @Test("A refusing relay refuses until it listens again, on the same port")
    func refuse() async throws {
        try await withLine { client, relay in
            let port = relay.port
            let statuses = client.statuses
            try await relay.refuse()
            for await status in statuses where status.category == .networkUnavailable { break }
            try await relay.listen()
            #expect(relay.port == port)
            try await client.connect()
        }
    }

    private func phases(
        _ statuses: StatusChanges, until last: ConnectionPhase, after first: ConnectionPhase
    ) async -> [ConnectionPhase] {
        var phases: [ConnectionPhase] = []
        for await status in statuses {
            phases.append(status.phase)
            if phases.contains(first) && status.phase == last { break }
        }
        return phases
    }

    /// A connected client behind a relay.
    private func withLine(_ body: (LifelineClient, FaultRelay) async throws -> Void) async throws {
        let server = try await LifelineServer.start(.init(port: 0, drainTimeout: .milliseconds(500)))
        let relay = try await FaultRelay.start(to: server.port)
        let client = LifelineClient(
            .pusher(key: "app-key", host: ServiceHost("127.0.0.1", port: relay.port, tls: false)),
            options: ClientOptions(timing: .fast))
        do {
            try await client.connect(timeout: .seconds(10))
            try await body(client, relay)
        } catch {
            try await server.stop()
            throw error
        }
        await client.disconnect()
        await relay.stop()
        try await server.stop()
    }
}
