import Foundation

/// Runs the simulator with many seeds: with given seeds, with random seeds for some time, or with a single seed that failed.
///
/// With `LIFELINE_SIMULATOR_SECONDS` in the environment it runs random seeds for that time; with `LIFELINE_SIMULATOR_SEED` it runs that
/// seed.
public enum SimulatorRun {
    /// Runs the simulator on the calling thread.
    ///
    /// - Parameters:
    ///   - service: the model server.
    ///   - seeds: the seeds to run unless `LIFELINE_SIMULATOR_SEED` or `LIFELINE_SIMULATOR_SECONDS` is set.
    ///   - steps: how many steps each seed runs.
    ///   - finished: called on the calling thread after each run that broke no rule.
    /// - Throws: the broken rule, with the seed that replays it.
    public static func run<Service: SimulatedService>(
        _ service: Service.Type, seeds: ClosedRange<UInt64>, steps: Int = 5_000,
        finished: (Simulator<Service>, UInt64) -> Void
    ) throws(Violation) {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["LIFELINE_SIMULATOR_SEED"].flatMap(UInt64.init) {
            try run(service, seed: seed, steps: steps, finished)
        } else if let seconds = environment["LIFELINE_SIMULATOR_SECONDS"].flatMap(Double.init) {
            try run(service, for: seconds, steps: steps, finished)
        } else {
            for seed in seeds { try run(service, seed: seed, steps: steps, finished) }
        }
    }

    private static func run<Service: SimulatedService>(
        _ service: Service.Type, for seconds: Double, steps: Int, _ finished: (Simulator<Service>, UInt64) -> Void
    ) throws(Violation) {
        let start = ContinuousClock.now
        var told = start
        var count = 0
        var seed = UInt64.random(in: 0...UInt64.max / 2)
        while ContinuousClock.now - start < .seconds(seconds) {
            try run(service, seed: seed, steps: steps, finished)
            seed += 1
            count += 1
            if ContinuousClock.now - told > .seconds(10) {
                told = .now
                print("simulator: \(service): \(count) seeds, \(count * steps) steps")
            }
        }
    }

    private static func run<Service: SimulatedService>(
        _ service: Service.Type, seed: UInt64, steps: Int, _ finished: (Simulator<Service>, UInt64) -> Void
    ) throws(Violation) {
        var simulator = Simulator<Service>(seed: seed)
        do {
            try simulator.run(steps: steps)
        } catch {
            throw Violation("\(service), seed \(seed); replay it with `make simulate SEED=\(seed)`.\n\(error)")
        }
        finished(simulator, seed)
    }
}
