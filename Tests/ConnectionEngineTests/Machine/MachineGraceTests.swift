import ConnectionEngine
import EngineTesting
import Testing

/// The time for which a connection is kept in the background, one script per rule of `docs/behaviour.md`.
@Suite struct MachineGraceTests {
    private let reset = ConnectionFailure(.unexpectedDisconnect, "Reset.", errno: 104)

    private func connected(grace: Duration?) -> MachineFixture {
        var policy = ConnectionPolicy.fast
        policy.backgroundGrace = grace
        var fixture = MachineFixture(policy: policy)
        fixture.feed(.connect(within: nil))
        fixture.feed(.opened(fixture.attempt))
        fixture.feed(.received(fixture.attempt, .greeting))
        fixture.log = []
        return fixture
    }

    @Test func `BG-9: the connection is kept for the grace, and closed then with its cause`() {
        var fixture = connected(grace: .seconds(20))
        #expect(fixture.feed(.enterBackground) == ["+grace"])
        #expect(fixture.phase == .connected)
        #expect(fixture.feed(.enterBackground, after: .seconds(5)) == [], "a second notification does not begin anew")
        let end = fixture.fire("grace", .grace, after: .seconds(15))
        #expect(end.contains("abort") && end.last == "suspended(background)", "\(end)")
        #expect(fixture.timers.keys.allSatisfy { $0 == "grace" }, "the timer that fired is all that was started")
        #expect(fixture.feed(.leaveBackground).contains("open"))
    }

    @Test func `BG-9: a return within the grace costs nothing`() {
        var fixture = connected(grace: .seconds(20))
        let attempt = fixture.attempt
        fixture.feed(.enterBackground)
        let back = fixture.feed(.leaveBackground, after: .seconds(19))
        #expect(back == ["-grace", "send ping", "+silence"])
        #expect(fixture.phase == .connected && fixture.attempt == attempt)
        #expect(fixture.feed(.endBackgroundGrace) == [], "the system's warning comes too late to matter")
    }

    @Test func `BG-9: without a limit the background changes nothing`() {
        var fixture = connected(grace: nil)
        #expect(fixture.feed(.enterBackground) == [])
        #expect(fixture.feed(.endBackgroundGrace) == [])
        #expect(fixture.feed(.leaveBackground, after: .seconds(86_400)) == [])
        #expect(fixture.phase == .connected)
    }

    @Test func `BG-9: a link that is lost within the grace is made anew, and given up at its end`() {
        var fixture = connected(grace: .seconds(20))
        fixture.feed(.enterBackground)
        fixture.feed(.closed(fixture.attempt, reset))
        #expect(fixture.phase == .waiting)
        #expect(fixture.fire("retry", .retry, after: .seconds(3)).contains("open"))
        let end = fixture.fire("grace", .grace, after: .seconds(17))
        #expect(
            end.last == "suspended(background)" && fixture.timers.keys.allSatisfy { ["grace", "retry"].contains($0) }, "\(end)")
    }

    @Test func `BG-10: when the system suspends the process sooner, the grace is over at once`() {
        var fixture = connected(grace: .seconds(20))
        #expect(fixture.feed(.endBackgroundGrace) == [], "in the foreground it means nothing")
        fixture.feed(.enterBackground)
        let end = fixture.feed(.endBackgroundGrace, after: .seconds(1))
        #expect(end.contains("-grace") && end.last == "suspended(background)", "\(end)")
    }

    @Test func `BG-10: who was suspended beyond the end of the grace connects anew upon return`() {
        var fixture = connected(grace: .seconds(20))
        fixture.feed(.enterBackground)
        // No timer fired while the process did not run.
        let back = fixture.feed(.leaveBackground, after: .seconds(600))
        #expect(back.contains("abort") && back.contains("suspended(background)") && back.last == "open", "\(back)")
    }

    @Test func `BG-11: disconnect within the grace is final, and connect after it waits for the return`() {
        var fixture = connected(grace: .seconds(20))
        fixture.feed(.enterBackground)
        #expect(fixture.feed(.disconnect).first == "-grace")
        fixture.feed(.closed(fixture.attempt, reset))
        #expect(fixture.phase == .disconnected)
        #expect(fixture.feed(.connect(within: nil)) == ["suspended(background)"])
        #expect(fixture.feed(.leaveBackground).contains("open"))
    }

    @Test func `BG-9: a return within the grace asks at once whether the link still works`() {
        var fixture = connected(grace: .seconds(20))
        fixture.feed(.enterBackground)
        let back = fixture.feed(.leaveBackground, after: .seconds(3))
        #expect(back.contains("+silence"), "\(back)")
        let end = fixture.fire("silence", .silence, after: ConnectionPolicy.fast.timing.probe)
        #expect(end.contains("abort") && fixture.phase == .waiting, "a link that does not answer is made anew: \(end)")
    }

    @Test func `BG-11: a connection that is given up for good within the grace ends it`() {
        var fixture = connected(grace: .seconds(20))
        fixture.feed(.enterBackground)
        fixture.feed(.closed(fixture.attempt, ConnectionFailure(.credentialsRejected, "There is no such key.")))
        #expect(fixture.phase == .failed)
        #expect(fixture.timers.isEmpty, "\(fixture.timers)")
        #expect(fixture.feed(.connect(within: nil)) == ["suspended(background)"])
        #expect(fixture.feed(.leaveBackground).contains("open"))
    }

    @Test(arguments: [MachineState.idle, .disconnected, .failed])
    func `BG-9: where nothing is connected there is nothing to keep`(state: MachineState) {
        var fixture = state.make()
        var policy = ConnectionPolicy.fast
        policy.backgroundGrace = .seconds(20)
        fixture.feed(.updatePolicy(policy))
        #expect(fixture.feed(.enterBackground) == [])
        #expect(fixture.feed(.connect(within: nil)) == ["suspended(background)"])
    }
}
