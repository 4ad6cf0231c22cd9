import ConnectionEngine
import EngineTesting
import PubNubProtocol
import Testing

/// The closed loop with PubNub's session, in four configurations. See `SimulatorRun` for longer runs and replays.
@Suite struct PubNubSimulatorTests {
    /// Everything as it is by default, except that the service forgets soon.
    enum Defaults: PubNubVariant {
        static var options: PubNubOptions {
            var options = PubNubOptions()
            options.streamLifetime = .seconds(30)
            // Often, so that it happens in every run.
            options.pollRenewal = .seconds(1)
            return options
        }
    }

    /// Always from now on.
    enum NeverBack: PubNubVariant {
        static var options: PubNubOptions {
            var options = Defaults.options
            options.keepsTimetokenOnListChange = false
            options.catchesUpOnRestore = false
            options.messageCountThreshold = 50
            options.endsWhenEmpty = false
            return options
        }
    }

    /// Heartbeats, and no coming back.
    enum Present: PubNubVariant {
        static var options: PubNubOptions {
            var options = Defaults.options
            options.restoresSubscription = false
            options.heartbeatInterval = 1
            options.heartbeatValue = 3
            options.livenessInterval = .seconds(1)
            return options
        }
    }

    /// Presence by hand.
    enum ByHand: PubNubVariant {
        static var options: PubNubOptions {
            var options = Defaults.options
            options.managesPresenceManually = true
            options.heartbeatInterval = 1
            options.suppressesLeave = true
            options.messageCountThreshold = 100
            return options
        }
    }

    private func run<Variant: PubNubVariant>(_ variant: Variant.Type, _ seeds: ClosedRange<UInt64>) throws {
        var (runs, messages, gaps, heartbeats, renewals) = (0, 0, 0, 0, 0)
        try SimulatorRun.run(PubNubModelService<Variant>.self, seeds: seeds) { simulator, seed in
            // A run in which nothing happened proves nothing.
            #expect(simulator.phases[.connected, default: 0] > 3, "seed \(seed)")
            #expect(simulator.answers > 20, "seed \(seed)")
            runs += 1
            messages += simulator.service.reader.count
            gaps += simulator.service.reader.gapCount
            heartbeats += simulator.service.heartbeats
            renewals += simulator.service.renewals
        }
        // Not when one seed is replayed.
        guard runs > 3 else { return }
        #expect(messages > 500)
        #expect(gaps > 5)
        #expect(renewals > 20)
        #expect(heartbeats > 20 || Variant.options.heartbeatInterval == 0)
    }

    @Test func `Nothing is lost in silence, doubled or reordered through 40,000 steps of faults`() throws {
        try run(Defaults.self, 1...8)
    }

    @Test func `The same without going back, and with a connection that needs no list`() throws {
        try run(NeverBack.self, 21...24)
    }

    @Test func `The same with heartbeats, and without restoring`() throws {
        try run(Present.self, 31...34)
    }

    @Test func `The same with presence by hand`() throws {
        try run(ByHand.self, 41...44)
    }
}
