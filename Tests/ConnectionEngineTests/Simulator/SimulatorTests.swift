import ConnectionEngine
import EngineTesting
import Testing

/// The closed loop over the two tiny sessions. See `SimulatorRun` for longer runs and replays.
@Suite struct SimulatorTests {
    private func run<Service: SimulatedService>(_ service: Service.Type) throws {
        try SimulatorRun.run(service, seeds: 1...20) { simulator, seed in
            // A run in which nothing happened proves nothing.
            #expect(simulator.phases[.connected, default: 0] > 5, "seed \(seed)")
            #expect(simulator.phases[.waiting, default: 0] > 5, "seed \(seed)")
            #expect(simulator.events > 50, "seed \(seed)")
            #expect(simulator.answers > 20, "seed \(seed)")
        }
    }

    @Test func `A push service keeps every rule over 100,000 steps of faults`() throws {
        try run(LineService.self)
    }

    @Test func `A long-poll service keeps the same rules over 100,000 steps of faults`() throws {
        try run(PollService.self)
    }

    @Test func `The same seed gives the same run`() throws {
        var first = Simulator<LineService>(seed: 7)
        var second = Simulator<LineService>(seed: 7)
        try first.run(steps: 2_000)
        try second.run(steps: 2_000)
        #expect(first.phases == second.phases)
        #expect(first.events == second.events)
    }
}
