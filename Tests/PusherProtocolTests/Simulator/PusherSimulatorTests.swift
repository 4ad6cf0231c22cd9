import ConnectionEngine
import Foundation
import LifelineTesting
import Testing

@testable import PusherProtocol

/// The Pusher session in the closed loop. The environment variables of `SimulatorTests` work here too.
@Suite struct PusherSimulatorTests {
    @Test func `The Pusher session keeps every rule over 100,000 steps of faults`() throws {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["LIFELINE_SIMULATOR_SEED"].flatMap(UInt64.init) {
            try run(seed: seed)
        } else if let seconds = environment["LIFELINE_SIMULATOR_SECONDS"].flatMap(Double.init) {
            let start = ContinuousClock.now
            var seed = UInt64.random(in: 0...UInt64.max / 2)
            while ContinuousClock.now - start < .seconds(seconds) {
                try run(seed: seed)
                seed += 1
            }
        } else {
            for seed: UInt64 in 1...20 { try run(seed: seed) }
        }
    }

    private func run(seed: UInt64) throws {
        var simulator = Simulator<PusherService>(seed: seed)
        do {
            try simulator.run(steps: 5_000)
        } catch {
            Issue.record("Seed \(seed), replay with LIFELINE_SIMULATOR_SEED=\(seed): \(error)")
            throw error
        }
        #expect(simulator.phases[.connected, default: 0] > 5, "seed \(seed)")
        #expect(simulator.events > 50, "seed \(seed)")
        #expect(simulator.answers > 20, "seed \(seed)")
    }
}
