import ConnectionEngine
import Foundation
import LifelineTesting
import Testing

/// The closed loop. `LIFELINE_SIMULATOR_SECONDS` runs fresh seeds for so long; `LIFELINE_SIMULATOR_SEED` replays one.
@Suite struct SimulatorTests {
    private static let stepsPerSeed = 5_000

    /// Runs seeds and names the one that failed, so that it can be replayed.
    private func run<Service: SimulatedService>(_ service: Service.Type, defaultSeeds: ClosedRange<UInt64>) throws {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["LIFELINE_SIMULATOR_SEED"].flatMap(UInt64.init) {
            try run(service, seed: seed)
        } else if let seconds = environment["LIFELINE_SIMULATOR_SECONDS"].flatMap(Double.init) {
            let start = ContinuousClock.now
            var seed = UInt64.random(in: 0...UInt64.max / 2)
            while ContinuousClock.now - start < .seconds(seconds) {
                try run(service, seed: seed)
                seed += 1
            }
        } else {
            for seed in defaultSeeds { try run(service, seed: seed) }
        }
    }

    private func run<Service: SimulatedService>(_ service: Service.Type, seed: UInt64) throws {
        var simulator = Simulator<Service>(seed: seed)
        do {
            try simulator.run(steps: Self.stepsPerSeed)
        } catch {
            Issue.record("\(service), seed \(seed), replay with LIFELINE_SIMULATOR_SEED=\(seed): \(error)")
            throw error
        }
        // A run in which nothing happened proves nothing.
        #expect(simulator.phases[.connected, default: 0] > 5, "seed \(seed)")
        #expect(simulator.phases[.waiting, default: 0] > 5, "seed \(seed)")
        #expect(simulator.events > 50, "seed \(seed)")
        #expect(simulator.answers > 20, "seed \(seed)")
    }

    @Test func `A push service keeps every rule over 100,000 steps of faults`() throws {
        try run(LineService.self, defaultSeeds: 1...20)
    }

    @Test func `A long-poll service keeps the same rules over 100,000 steps of faults`() throws {
        try run(PollService.self, defaultSeeds: 1...20)
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
