import ConnectionEngine
import EngineTesting
import Testing

/// The application in the background, one script per rule of `docs/behaviour.md`.
@Suite struct MachineBackgroundTests {
    private let reset = ConnectionFailure(.unexpectedDisconnect, "Reset.", errno: 104)
    private let refusedDial = ConnectionFailure(.networkUnavailable, "Refused.", errno: 111)

    private func connect(_ fixture: inout MachineFixture) {
        fixture.feed(.opened(fixture.attempt))
        fixture.feed(.received(fixture.attempt, .greeting))
    }

    private func connected(_ policy: ConnectionPolicy = .fast) -> MachineFixture {
        var fixture = MachineFixture(policy: policy)
        fixture.feed(.connect(within: nil))
        connect(&fixture)
        fixture.log = []
        return fixture
    }

    @Test func `BG-1: the status has its cause, and no pause`() {
        var fixture = connected()
        var effects: [Effect<LineSession>] = []
        fixture.machine.handle(.enterBackground, at: fixture.now, into: &effects)
        let changes = effects.compactMap { if case .announce(let change) = $0 { change } else { nil } }
        #expect(changes.map(\.phase) == [.suspended] && changes.map(\.category) == [.background])
        #expect(changes.first?.cause == .inBackground && changes.first?.retryIn == nil && changes.first?.willRetry == true)
    }

    @Test(arguments: MachineState.allCases.filter { $0 != .disconnecting })
    func `BG-2: whatever the phase was, no timer runs, and the network starts nothing`(state: MachineState) {
        var fixture = state.make()
        fixture.feed(.enterBackground)
        #expect(fixture.timers.isEmpty)
        #expect(fixture.feed(.networkChanged(.unavailable)) == [])
        #expect(fixture.feed(.networkChanged(.available)) == [])
        #expect(fixture.timers.isEmpty)
    }

    @Test func `BG-3: the return connects at once, and the pauses start anew`() {
        var fixture = connected()
        fixture.feed(.closed(fixture.attempt, reset))
        for _ in 0..<5 {
            fixture.fire("retry", .retry, after: .seconds(3))
            fixture.feed(.closed(fixture.attempt, refusedDial))
        }
        fixture.feed(.enterBackground, after: .seconds(1))
        #expect(fixture.feed(.leaveBackground, after: .seconds(86_400)).contains("open"))
        #expect(fixture.machine.snapshot.failedAttempts == 0)
        fixture.log = []
        connect(&fixture)
        #expect(fixture.log.contains("connected(reconnected)"))
    }

    @Test func `BG-1, BG-3: a link that the background ended counts as lost, so that the return is told as a reconnect`() {
        var fixture = connected()
        fixture.feed(.enterBackground)
        fixture.feed(.leaveBackground)
        fixture.log = []
        connect(&fixture)
        #expect(fixture.log.contains("connected(reconnected)"), "\(fixture.log)")
    }

    @Test func `BG-3: the return connects also without automatic retries`() {
        var policy = ConnectionPolicy.fast
        policy.retriesAutomatically = false
        var fixture = connected(policy)
        fixture.feed(.enterBackground)
        #expect(fixture.feed(.leaveBackground).contains("open"))
    }

    @Test(arguments: [MachineState.idle, .disconnected, .failed])
    func `BG-4: connect in the background waits for the return`(state: MachineState) {
        var fixture = state.make()
        fixture.feed(.enterBackground)
        #expect(fixture.feed(.connect(within: nil)) == ["suspended(background)"])
        #expect(fixture.feed(.connect(within: nil)) == [], "a second one says nothing new")
        #expect(fixture.feed(.leaveBackground) == ["connecting(background)", "+open", "open"])
    }

    @Test(arguments: [MachineState.idle, .disconnected, .failed])
    func `BG-5: nothing that was not wanted before is connected by the return`(state: MachineState) {
        var fixture = state.make()
        fixture.feed(.enterBackground)
        #expect(fixture.feed(.leaveBackground) == [])
        #expect(fixture.phase == state.make().phase)
    }

    @Test func `BG-5: disconnect in the background is final`() {
        var fixture = connected()
        fixture.feed(.enterBackground)
        #expect(fixture.feed(.disconnect) == ["disconnected(disconnected)"])
        #expect(fixture.feed(.leaveBackground) == [])
        #expect(fixture.phase == .disconnected)
    }

    @Test func `BG-5: a goodbye that was under way goes on, and the return does not connect after it`() {
        var fixture = MachineState.disconnecting.make()
        #expect(fixture.feed(.enterBackground) == [])
        #expect(fixture.feed(.leaveBackground) == [])
        #expect(fixture.feed(.closed(fixture.attempt, reset)).last == "disconnected(disconnected)")

        fixture = MachineState.disconnecting.make()
        fixture.feed(.enterBackground)
        #expect(fixture.fire("close", .close).last == "disconnected(disconnected)")
        #expect(fixture.feed(.leaveBackground) == [])
    }

    @Test func `BG-4, BG-5: connect during a goodbye in the background waits for the return`() {
        var fixture = MachineState.disconnecting.make()
        fixture.feed(.enterBackground)
        #expect(
            fixture.feed(.connect(within: nil)) == ["-close", "abort", "disconnected(disconnected)", "suspended(background)"])
        #expect(fixture.feed(.closed(fixture.attempt, reset)) == [])
        #expect(fixture.feed(.leaveBackground).contains("open"))
    }

    @Test func `BG-6: the time limit of connect begins anew upon return`() {
        var fixture = MachineFixture()
        fixture.feed(.connect(within: .seconds(5)))
        fixture.feed(.enterBackground, after: .seconds(4))
        #expect(fixture.fire("deadline", .deadline, after: .seconds(100)) == [])
        #expect(fixture.phase == .suspended)
        #expect(fixture.feed(.leaveBackground) == ["+deadline", "connecting(background)", "+open", "open"])
        connect(&fixture)
        fixture.feed(.enterBackground)
        #expect(!fixture.feed(.leaveBackground).contains("+deadline"), "a limit that was kept does not come back")
    }

    @Test func `BG-6: a limit that is set in the background begins upon return`() {
        var fixture = MachineFixture()
        fixture.feed(.enterBackground)
        fixture.feed(.connect(within: nil))
        #expect(fixture.feed(.connect(within: .seconds(5))) == [])
        #expect(fixture.feed(.leaveBackground).first == "+deadline")
    }

    @Test func `BG-7: entering and leaving again and again does each once`() {
        var fixture = connected()
        #expect(fixture.feed(.leaveBackground) == [])
        fixture.feed(.enterBackground)
        #expect(fixture.feed(.enterBackground) == [])
        #expect(fixture.feed(.leaveBackground).count { $0 == "open" } == 1)
        #expect(fixture.feed(.leaveBackground) == [])
        #expect(fixture.phase == .connecting)
    }

    @Test func `BG-7: reports of the link that was closed are dropped, before the return and after it`() {
        var fixture = connected()
        let former = fixture.attempt
        fixture.feed(.enterBackground)
        #expect(fixture.feed(.closed(former, reset)) == [])
        #expect(fixture.feed(.received(former, .greeting)) == [])
        fixture.feed(.leaveBackground)
        #expect(fixture.feed(.closed(former, reset)) == [])
        #expect(fixture.feed(.opened(former)) == [])
        #expect(fixture.phase == .connecting)
        connect(&fixture)
        #expect(fixture.phase == .connected)
    }

    @Test func `NW-2: without a route the return tries once and then waits for one`() {
        var fixture = connected()
        fixture.feed(.enterBackground)
        fixture.feed(.networkChanged(.unavailable))
        #expect(fixture.feed(.leaveBackground).contains("open"))
        #expect(fixture.feed(.closed(fixture.attempt, refusedDial)) == ["-open", "+retry", "suspended(networkUnavailable)"])
    }
}
