import ChatProtocol
import ConnectionEngine
import EngineTesting
import Testing

/// The closed loop with the chat session: inbox, outbox and open channels. See `SimulatorRun` for longer runs and replays.
@Suite struct ChatSimulatorTests {
    @Test func `Nothing is lost in silence, doubled or reordered over 100,000 steps of faults`() throws {
        var (runs, sent, repeats, gaps, packages) = (0, 0, 0, 0, 0)
        var outcomes: [Int: Int] = [:]
        try SimulatorRun.run(ChatModelService.self, seeds: 1...20) { simulator, seed in
            // A run in which nothing happened proves nothing.
            #expect(simulator.phases[.connected, default: 0] > 3, "seed \(seed)")
            #expect(simulator.events > 30, "seed \(seed)")
            #expect(simulator.answers > 20, "seed \(seed)")
            runs += 1
            sent += simulator.service.sent
            repeats += simulator.service.server.repeats
            gaps += simulator.service.user.gaps
            packages += simulator.service.server.packages
            outcomes.merge(simulator.service.outcomes) { $0 + $1 }
        }
        // Not when one seed is replayed.
        guard runs > 3 else { return }
        #expect(sent > 500)
        #expect(repeats > 20)
        #expect(gaps > 20)
        #expect(packages > 500)
        // Refused, surely not sent, and not known: each has been seen.
        for code in [ChatErrorCode(22408), .noConnection, .noAcknowledgement] {
            #expect(outcomes[code.rawValue, default: 0] > 10, "\(code)")
        }
    }
}
