import Foundation
import Testing

/// CR-20 and CR-21: whatever happens, nothing is lost without being declared, doubled, or told in another order. `LIFELINE_CLUSTER_STEPS` sets
/// how many steps each of the two tests makes.
@Suite struct ClusterSimulationTests {
    private static let steps = ProcessInfo.processInfo.environment["LIFELINE_CLUSTER_STEPS"].flatMap { Int($0) } ?? 250_000
    private static let seed = ProcessInfo.processInfo.environment["LIFELINE_CLUSTER_SEED"].flatMap { UInt64($0) }

    @Test("CR-20 Nodes die, sleep and lose their connections, and Redis keeps what it confirmed")
    func faultsOfNodes() {
        run(losesWrites: false)
    }

    @Test("CR-21 Redis comes back without its latest writes, or empty")
    func faultsOfRedis() {
        run(losesWrites: true)
    }

    @Test("CR-56 Leaders hand over at any moment, while nodes die, sleep and lose their connections", arguments: [false, true])
    func handOvers(losesWrites: Bool) {
        run(losesWrites: losesWrites, handsOver: true, upTo: Self.steps / 4)
    }

    private func run(losesWrites: Bool, handsOver: Bool = false, upTo limit: Int = Self.steps) {
        var steps = 0
        var seed: UInt64 = Self.seed ?? 1
        var (done, answered, handOvers) = (0, 0, 0)
        while steps < limit {
            var simulation = ClusterSimulation(seed: seed, losesWrites: losesWrites, handsOver: handsOver)
            for _ in 0..<2_000 { simulation.step() }
            simulation.finish()
            #expect(simulation.problems.isEmpty, "seed \(seed): \(simulation.problems.prefix(3))")
            if !simulation.problems.isEmpty { return }
            done += simulation.done
            answered += simulation.answered
            handOvers += simulation.handOvers
            steps += 5_000
            seed += 1
        }
        // Calls wait while the leaders change.
        #expect(done > steps / (handsOver ? 200 : 100))
        #expect(answered > steps / 1_000)
        if handsOver { #expect(handOvers > steps / 2_000) }
    }
}
