import ConnectionEngine
import EngineTesting
import Testing

/// The closed loop with Pusher's session, keys and members included. See `SimulatorRun` for longer runs and replays.
@Suite struct PusherSimulatorTests {
    @Test func `Nothing is lost in silence, doubled or reordered over 100,000 steps of faults`() throws {
        // Single seeds may have neither.
        var signIns = 0
        var (userEvents, recoveries) = (0, 0)
        try SimulatorRun.run(PusherService.self, seeds: 1...20) { simulator, seed in
            // A run in which nothing happened proves nothing.
            #expect(simulator.phases[.connected, default: 0] > 5, "seed \(seed)")
            #expect(simulator.events > 50, "seed \(seed)")
            #expect(simulator.answers > 20, "seed \(seed)")
            signIns += simulator.service.user.signInCount
            userEvents += simulator.service.userEvents
            recoveries += simulator.service.recoveries
        }
        #expect(signIns > 0 && userEvents > 0 && recoveries > 100)
    }
}
