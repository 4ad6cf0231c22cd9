import ConnectionEngine
import EngineTesting
import Testing

/// One script per rule of `docs/behaviour.md`.
@Suite struct MachineScriptTests {
    private let reset = ConnectionFailure(.unexpectedDisconnect, "Reset.", errno: 104)
    private let refusedDial = ConnectionFailure(.networkUnavailable, "Refused.", errno: 111)

    private func connected(_ policy: ConnectionPolicy = .fast, seed: UInt64 = 1) -> MachineFixture {
        var fixture = MachineFixture(policy: policy, seed: seed)
        fixture.feed(.connect(within: nil))
        fixture.feed(.opened(fixture.attempt))
        fixture.feed(.received(fixture.attempt, .greeting))
        fixture.log = []
        return fixture
    }

    private func announcements(_ log: [String]) -> [String] {
        log.filter { $0.hasSuffix(")") && !$0.hasPrefix("send") && !$0.hasPrefix("event") }
    }

    @Test func `CN-1: a lost link is announced, retried and announced as reconnected`() {
        var fixture = connected()
        fixture.feed(.closed(fixture.attempt, reset))
        fixture.fire("retry", .retry, after: .seconds(1))
        fixture.feed(.opened(fixture.attempt))
        fixture.feed(.received(fixture.attempt, .greeting))
        #expect(
            announcements(fixture.log) == [
                "waiting(unexpectedDisconnect)", "connecting(unexpectedDisconnect)", "connected(reconnected)",
            ])
    }

    @Test func `CN-3: one hundred connects dial once`() {
        var fixture = MachineFixture()
        for _ in 0..<100 { fixture.feed(.connect(within: nil)) }
        #expect(fixture.log.count { $0 == "open" } == 1)
    }

    @Test func `CN-4: connecting while disconnecting ends on a new attempt that the old close does not touch`() {
        var fixture = connected()
        let old = fixture.attempt
        fixture.feed(.disconnect)
        fixture.feed(.connect(within: nil))
        #expect(fixture.feed(.closed(old, reset)).isEmpty)
        #expect(fixture.phase == .connecting)
        #expect(fixture.attempt != old)
    }

    @Test func `CN-6: a peer that never answers the goodbye is given up`() {
        var fixture = connected()
        fixture.feed(.disconnect)
        #expect(fixture.fire("close", .close, after: .seconds(1)) == ["abort", "disconnected(disconnected)"])
    }

    @Test func `CN-8: the caller's limit covers retries and ends in failed`() {
        var fixture = MachineFixture()
        fixture.feed(.connect(within: .seconds(5)))
        fixture.feed(.closed(fixture.attempt, refusedDial))
        #expect(fixture.fire("deadline", .deadline, after: .seconds(5)) == ["-retry", "failed(timeout)"])
        #expect(fixture.feed(.timerFired(TimerID(kind: .retry, generation: 3))).isEmpty)
    }

    @Test(arguments: [Duration.zero, .seconds(-1), .seconds(Int64.min)])
    func `CN-8: a limit that leaves no time ends at once, without an attempt`(_ limit: Duration) {
        var fixture = MachineFixture()
        #expect(fixture.feed(.connect(within: limit)) == ["connecting(connecting)", "failed(timeout)"])
        fixture.feed(.connect(within: nil))
        #expect(fixture.feed(.connect(within: limit)) == ["abort", "-open", "failed(timeout)"])
        fixture.feed(.connect(within: .seconds(5)))
        fixture.feed(.closed(fixture.attempt, refusedDial))
        #expect(fixture.feed(.connect(within: limit)) == ["-retry", "-deadline", "failed(timeout)"])
        fixture.feed(.enterBackground)
        fixture.feed(.connect(within: limit))
        #expect(fixture.phase == .suspended)
        #expect(fixture.feed(.leaveBackground) == ["failed(timeout)"])
    }

    @Test func `RT-2: the delays start over only after the link was stable`() throws {
        var fixture = connected()
        for failures in 1...3 {
            fixture.feed(.closed(fixture.attempt, reset))
            #expect(fixture.machine.snapshot.failedAttempts == failures)
            fixture.fire("retry", .retry, after: .seconds(3))
            fixture.feed(.opened(fixture.attempt))
            fixture.feed(.received(fixture.attempt, .greeting))
            #expect(fixture.machine.snapshot.failedAttempts == 0, "reads 0 while connected")
        }
        fixture.fire("stable", .stable, after: .seconds(1))
        fixture.feed(.closed(fixture.attempt, reset))
        #expect(fixture.machine.snapshot.failedAttempts == 1)
    }

    @Test func `RT-3: Retry-After is honoured up to the cap`() {
        for (asked, expected) in [(2, 2...2), (1_000_000, 3...3), (-5, 0...2)] {
            var fixture = MachineFixture()
            fixture.feed(.connect(within: nil))
            let failure = ConnectionFailure(
                .overloaded, "Busy.", origin: .server, httpStatus: 503, retryAfter: .seconds(asked))
            var effects: [Effect<LineSession>] = []
            fixture.machine.handle(.closed(fixture.attempt, failure), at: fixture.now, into: &effects)
            let pause = effects.compactMap { effect -> Double? in
                if case .announce(let change) = effect { change.retryIn?.inSeconds } else { nil }
            }
            #expect(pause.count == 1)
            #expect(Double(expected.lowerBound)...Double(expected.upperBound) ~= (pause.first ?? -1), "asked \(asked)")
        }
    }

    @Test func `RT-4: a limit on retries ends in failed with the count`() {
        var policy = ConnectionPolicy.fast
        policy.maximumRetries = 2
        var fixture = MachineFixture(policy: policy)
        fixture.feed(.connect(within: nil))
        for _ in 0..<2 {
            fixture.feed(.closed(fixture.attempt, refusedDial))
            fixture.fire("retry", .retry, after: .seconds(5))
        }
        #expect(fixture.feed(.closed(fixture.attempt, refusedDial)).last == "failed(networkUnavailable)")
        #expect(fixture.machine.snapshot.failedAttempts == 2)
        #expect(fixture.machine.snapshot.lastFailure?.reason == "Gave up after 3 attempts. \(refusedDial.reason)")
    }

    @Test func `RT-4: a link that was lost counts for no attempt`() {
        var policy = ConnectionPolicy.fast
        policy.maximumRetries = 1
        var fixture = connected(policy)
        fixture.feed(.closed(fixture.attempt, reset))
        fixture.fire("retry", .retry, after: .seconds(5))
        #expect(fixture.feed(.closed(fixture.attempt, refusedDial)).last == "failed(networkUnavailable)")
        #expect(fixture.machine.snapshot.lastFailure?.reason == "Gave up after 1 attempt. \(refusedDial.reason)")
    }

    @Test func `RT-33: the latest failure decides whose limit counts`() throws {
        let hasty = try RetryBackoff(base: .seconds(1), cap: .seconds(1), limit: 1)
        let retries = try RetryPolicy(base: .seconds(1), cap: .seconds(1), limit: 5, overrides: [.overloaded: hasty])
        var fixture = MachineFixture(policy: ConnectionPolicy.fast.retrying(retries))
        fixture.feed(.connect(within: nil))
        for _ in 0..<3 {
            fixture.feed(.closed(fixture.attempt, refusedDial))
            fixture.fire("retry", .retry, after: .seconds(5))
        }
        let overloaded = ConnectionFailure(.overloaded, "Over capacity.", origin: .server)
        #expect(fixture.feed(.closed(fixture.attempt, overloaded)).last == "failed(overloaded)")
        #expect(fixture.machine.snapshot.lastFailure?.reason == "Gave up after 4 attempts. Over capacity.")
    }

    @Test func `RT-31: Retry-After is the least pause, up to the cap of the chosen policy`() throws {
        let retries = try RetryPolicy(base: .milliseconds(100), cap: .seconds(20), jitter: .full)
        for (asked, expected) in [(5, 5.0), (90, 20.0), (-4, 0.0)] {
            var fixture = MachineFixture(policy: ConnectionPolicy.standard.retrying(retries))
            fixture.feed(.connect(within: nil))
            var effects: [Effect<LineSession>] = []
            let failure = ConnectionFailure(.unknown, "", origin: .server, retryAfter: .seconds(asked))
            fixture.machine.handle(.closed(fixture.attempt, failure), at: fixture.now, into: &effects)
            let pause = effects.compactMap { effect -> Double? in
                if case .announce(let change) = effect { change.retryIn?.inSeconds } else { nil }
            }
            #expect(pause.count == 1 && pause.allSatisfy { (expected...expected + 0.1).contains($0) })
        }
    }

    @Test func `RT-5: with automatic retries off a loss is final`() {
        var policy = ConnectionPolicy.fast
        policy.retriesAutomatically = false
        var fixture = connected(policy)
        #expect(fixture.feed(.closed(fixture.attempt, reset)).last == "failed(unexpectedDisconnect)")
    }

    @Test func `RT-6: a refusal is never retried, and a new connect starts again`() {
        var fixture = connected()
        fixture.feed(.closed(fixture.attempt, ConnectionFailure(.refused, "Unknown app.", closeCode: 4001)))
        #expect(fixture.phase == .failed)
        #expect(fixture.feed(.connect(within: nil)).contains("open"))
    }

    @Test func `LV-2: silence is probed, and silence after the probe ends the link`() {
        var fixture = connected()
        #expect(fixture.fire("silence", .silence, after: .seconds(2)) == ["send ping", "+silence"])
        let effects = fixture.fire("silence", .silence, after: .seconds(1))
        #expect(effects.first == "abort")
        #expect(effects.last == "waiting(timeout)")
    }

    @Test func `LV-1: any byte after the probe proves life, what we send does not`() {
        var fixture = connected()
        fixture.fire("silence", .silence, after: .seconds(2))
        fixture.feed(.perform(.publish(1), nil))
        fixture.feed(.heard(fixture.attempt), after: .milliseconds(500))
        #expect(fixture.fire("silence", .silence, after: .milliseconds(500)) == ["+silence"])
        #expect(fixture.phase == .connected)
    }

    @Test func `LV-3: traffic postpones the probe without restarting timers`() {
        var fixture = connected()
        let effects = fixture.feed(.received(fixture.attempt, .pong), after: .seconds(1))
        #expect(effects.isEmpty)
        #expect(fixture.fire("silence", .silence, after: .seconds(1)) == ["+silence"])
    }

    @Test func `NW-1: news of the network makes a live link prove itself`() {
        var fixture = connected()
        #expect(fixture.feed(.networkChanged(.unavailable)) == ["send ping", "+silence"])
        #expect(fixture.fire("silence", .silence, after: .seconds(1)).last == "suspended(networkUnavailable)")
    }

    @Test func `NW-2: without a route attempts are not counted and the slow timer still tries`() {
        var fixture = connected()
        fixture.feed(.networkChanged(.unavailable))
        fixture.feed(.closed(fixture.attempt, reset))
        for _ in 0..<3 {
            fixture.fire("retry", .retry, after: .seconds(3))
            fixture.feed(.closed(fixture.attempt, refusedDial))
        }
        #expect(fixture.machine.snapshot.failedAttempts == 0)
        #expect(fixture.phase == .suspended)
    }

    @Test func `NW-3: a new route dials at once`() {
        var fixture = connected()
        fixture.feed(.closed(fixture.attempt, reset))
        #expect(fixture.feed(.networkChanged(.available)).contains("open"))
    }

    @Test func `RQ-1: a request is answered once, also when the session answers again`() {
        var fixture = connected()
        fixture.feed(.perform(.subscribe("a"), RequestID(1)))
        fixture.feed(.received(fixture.attempt, .subscribed("a")))
        #expect(fixture.feed(.perform(.subscribe("a"), RequestID(1))).contains("answer ok"), "the id is free again")
        #expect(fixture.log.count { $0 == "answer ok" } == 2)
    }

    @Test func `RQ-2: a disconnect answers what is pending`() {
        var fixture = connected()
        fixture.feed(.perform(.subscribe("a"), RequestID(1)))
        #expect(fixture.feed(.disconnect).last == "answer disconnected")
    }

    @Test func `RQ-3: a publish whose acknowledgement is lost is answered as unknown`() {
        var fixture = connected()
        fixture.feed(.perform(.publish(9), RequestID(1)))
        #expect(fixture.feed(.closed(fixture.attempt, reset)).first == "answer unknown")
    }

    @Test func `RQ-3: also when the loss is final, and beside requests that were surely not done`() {
        var fixture = connected()
        fixture.feed(.perform(.subscribe("a"), RequestID(1)))
        fixture.feed(.perform(.publish(9), RequestID(2)))
        let effects = fixture.feed(.closed(fixture.attempt, ConnectionFailure(.credentialsRejected, "There is no such key.")))
        #expect(effects.filter { $0.hasPrefix("answer") } == ["answer unknown", "answer credentialsRejected"])
        #expect(fixture.phase == .failed)
    }

    @Test func `RQ-5: a caller who stops waiting gets cancelled, and nothing later`() {
        var fixture = connected()
        fixture.feed(.perform(.subscribe("a"), RequestID(1)))
        #expect(fixture.feed(.abandon(RequestID(1))) == ["answer cancelled"])
        let effects = fixture.feed(.received(fixture.attempt, .subscribed("a")))
        #expect(!effects.contains("answer ok"))
    }

    @Test func `A session that has nothing left to do disconnects`() {
        var fixture = connected()
        fixture.feed(.perform(.subscribe("a"), nil))
        fixture.feed(.perform(.leaveLast("a"), nil))
        #expect(fixture.phase == .disconnecting)
    }

    @Test func `A renewed subscription declares its gap`() {
        var fixture = connected()
        fixture.feed(.perform(.subscribe("a"), nil))
        fixture.feed(.received(fixture.attempt, .subscribed("a")))
        fixture.feed(.closed(fixture.attempt, reset))
        fixture.fire("retry", .retry, after: .seconds(1))
        fixture.feed(.opened(fixture.attempt))
        #expect(fixture.feed(.received(fixture.attempt, .greeting)).contains("send subscribe(\"a\")"))
        let effects = fixture.feed(.received(fixture.attempt, .subscribed("a")))
        #expect(effects.count == 2)
        #expect(effects.last?.hasPrefix("event gap") == true)
    }
}
