import Foundation
import LifelineTesting
import Testing

/// The closed loop with Pusher's session. `LIFELINE_SIMULATOR_SECONDS` runs fresh seeds for so long;
/// `LIFELINE_SIMULATOR_SEED` replays one.
@Suite("The session in the simulator, with keys and members")
struct ExactPusherTests {
    @Test("Nothing is lost in silence, doubled or reordered over 100,000 steps of faults", .timeLimit(.minutes(10)))
    func faults() throws {
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
            for seed in 1...20 { try run(seed: UInt64(seed)) }
        }
    }

    private func run(seed: UInt64) throws {
        var simulator = Simulator<ExactPusherService>(seed: seed)
        do {
            try simulator.run(steps: 5_000)
        } catch {
            Issue.record("Replay with LIFELINE_SIMULATOR_SEED=\(seed): \(error)")
            throw error
        }
        // A run in which nothing happened proves nothing.
        #expect(simulator.phases[.connected, default: 0] > 5, "seed \(seed)")
        #expect(simulator.events > 50, "seed \(seed)")
        #expect(simulator.answers > 20, "seed \(seed)")
    }
}
