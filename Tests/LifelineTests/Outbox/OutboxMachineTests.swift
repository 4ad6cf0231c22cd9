import Testing

@testable import Lifeline

@Suite struct OutboxMachineTests {
    private static let later = LifelineError(.init(.overloaded), "Later.")

    @Test func `LL-93: a channel's messages go one after the other, and channels do not wait for each other`() {
        var bench = OutboxBench()
        for (id, channel) in [("a1", "a"), ("a2", "a"), ("b1", "b"), ("b2", "b")] { bench.add(.init(id), to: channel) }
        #expect(bench.take() == ["send a1", "send b1"])
        bench.sent("b1", .accepted(id: nil))
        #expect(bench.take() == ["b1 accepted -", "send b2"])
        bench.sent("a1", .accepted(id: nil))
        #expect(bench.take() == ["a1 accepted -", "send a2"])
    }

    @Test func `LL-93: only so many channels have a message on its way`() {
        var bench = OutboxBench(OutboxOptions(maximumChannels: 2))
        for name in ["a", "b", "c", "d"] { bench.add(.init(name), to: name) }
        #expect(bench.take() == ["send a", "send b"])
        bench.sent("a", .accepted(id: nil))
        #expect(bench.take() == ["a accepted -", "send c"])
    }

    @Test func `LL-93: what waited without a connection goes in the order in which it was enqueued`() {
        var bench = OutboxBench(isConnected: false)
        for (id, channel) in [("z1", "z"), ("a1", "a"), ("z2", "z")] { bench.add(.init(id), to: channel) }
        #expect(bench.take() == [])
        bench.connect()
        #expect(bench.take() == ["send z1", "send a1"])
        bench.sent("z1", .accepted(id: nil))
        #expect(bench.take() == ["z1 accepted -", "send z2"])
    }

    @Test func `LL-95: what was refused for the moment keeps its place, and waits for as long as the service asks`() {
        var bench = OutboxBench()
        bench.add("a1")
        bench.add("a2")
        var asked = Self.later
        asked.retryAfter = .seconds(20)
        bench.sent("a1", .refused(asked))
        _ = bench.take()
        // A new connection does not shorten what the service has asked for.
        bench.disconnect()
        bench.connect()
        bench.advance(by: 19)
        #expect(bench.take() == [])
        bench.advance(by: 30)
        #expect(bench.take() == ["send a1"])
        bench.sent("a1", .accepted(id: nil))
        #expect(bench.take() == ["a1 accepted -", "send a2"])
    }

    @Test func `LL-95: pauses grow up to a minute, and a new connection ends them`() {
        var bench = OutboxBench()
        bench.add("a", lifetime: .seconds(86_400))
        for longest in [2, 4, 8, 16, 32, 60, 60] {
            bench.sent("a", .refused(Self.later))
            _ = bench.take()
            bench.advance(by: longest)
            #expect(bench.take() == ["send a"], "\(longest)")
        }
        bench.sent("a", .refused(Self.later))
        bench.disconnect()
        _ = bench.take()
        bench.connect()
        #expect(bench.take() == ["send a"])
    }

    @Test func `LL-95: a refusal is told, and the next message goes`() {
        var bench = OutboxBench()
        bench.add("a1")
        bench.add("a2")
        _ = bench.take()
        bench.sent("a1", .refused(OutboxBench.error))
        #expect(bench.take() == ["a1 refused accessDenied", "send a2"])
        #expect(bench.state("a1") == "refused accessDenied")
    }

    @Test func `LL-96: where the service knows ids a message without an answer is sent again, with the same id`() {
        var bench = OutboxBench(repetitionSpan: .seconds(3_300))
        bench.add("a1")
        bench.add("a2")
        bench.sent("a1", .unknown(OutboxBench.lost))
        _ = bench.take()
        bench.advance(by: 2)
        #expect(bench.take() == ["send a1"])
        bench.sent("a1", .accepted(id: "7"))
        #expect(bench.take() == ["a1 accepted 7", "send a2"])
    }

    @Test func `LL-96: not beyond the time for which the service remembers ids`() {
        var bench = OutboxBench(repetitionSpan: .seconds(3_300))
        bench.add("a")
        bench.sent("a", .unknown(OutboxBench.lost))
        bench.disconnect()
        bench.advance(by: 3_301)
        _ = bench.take()
        bench.connect()
        #expect(bench.take() == ["a unknown timeout"])
        // The app may want it all the same.
        bench.retry("a")
        #expect(bench.take() == ["send a"])
    }

    @Test func `LL-96: without ids it is told, unless the app says that a repetition does no harm`() {
        var bench = OutboxBench()
        bench.add("a")
        bench.sent("a", .unknown(OutboxBench.lost))
        #expect(bench.take() == ["send a", "a unknown timeout"])
        bench.advance(by: 600)
        #expect(bench.take() == [])

        var other = OutboxBench(OutboxOptions(repeatsUnknown: true))
        other.add("a")
        other.sent("a", .unknown(OutboxBench.lost))
        _ = other.take()
        other.advance(by: 2)
        #expect(other.take() == ["send a"])
    }

    @Test func `LL-96: what may have arrived is never told to have been refused, cancelled or expired`() {
        // Without ids, a refusal of the second attempt says nothing about the first.
        var refused = OutboxBench()
        refused.add("a")
        refused.sent("a", .unknown(OutboxBench.lost))
        refused.retry("a")
        _ = refused.take()
        refused.sent("a", .refused(OutboxBench.error))
        #expect(refused.take() == ["a unknown accessDenied"])

        var waiting = OutboxBench(repetitionSpan: .seconds(3_300))
        waiting.add("a", lifetime: .seconds(100))
        waiting.sent("a", .unknown(OutboxBench.lost))
        waiting.disconnect()
        _ = waiting.take()
        var cancelled = waiting
        cancelled.cancel("a")
        #expect(cancelled.take() == ["a unknown timeout"])
        waiting.advance(by: 100)
        #expect(waiting.take() == ["a unknown timeout"])
    }

    @Test func `LL-94: a full outbox refuses, and forgets those that failed before`() {
        var bench = OutboxBench(OutboxOptions(maximumEntries: 2, maximumBytes: 40))
        bench.add("a", to: "x")
        bench.add("b", to: "y")
        let error = bench.add("c", to: "z")
        #expect(error?.code == .outboxFull)
        #expect(error?.reason.contains("maximumEntries") == true)
        #expect(bench.records.map(\.id) == ["a", "b"])
        bench.sent("a", .refused(OutboxBench.error))
        #expect(bench.add("c", to: "z") == nil)
        #expect(bench.records.map(\.id) == ["b", "c"])
        // In bytes: channel, event and payload.
        #expect(bench.add("d", to: "w", json: "\"" + String(repeating: "x", count: 37) + "\"")?.code == .outboxFull)
    }

    @Test func `LL-94: a retry goes behind the others, with a new lifetime`() {
        var bench = OutboxBench()
        bench.add("a1", lifetime: .seconds(100))
        bench.sent("a1", .refused(OutboxBench.error))
        bench.add("a2")
        bench.add("a3")
        bench.advance(by: 90)
        bench.retry("a1")
        #expect(bench.records.map(\.id) == ["a2", "a3", "a1"])
        bench.disconnect()
        bench.advance(by: 90)
        #expect(bench.state("a1") == "waiting")
        bench.advance(by: 10)
        #expect(bench.state("a1") == "expired")
    }

    @Test func `LL-94: one on its way at its deadline may wait 30 s for its answer`() {
        var bench = OutboxBench()
        bench.add("a", lifetime: .seconds(10))
        bench.advance(by: 39)
        #expect(bench.take() == ["send a"])
        bench.advance(by: 1)
        #expect(bench.take() == ["cancel a"])
        bench.sent("a", .refused(LifelineError(.cancelled, "It never left.")))
        #expect(bench.take() == ["a expired"])
    }

    @Test func `LL-93: a close lets what is on its way end`() {
        var bench = OutboxBench()
        bench.add("a1")
        bench.add("a2")
        bench.close()
        #expect(bench.take() == ["send a1"])
        bench.sent("a1", .accepted(id: nil))
        #expect(bench.take() == ["a1 accepted -", "closed"])
        #expect(bench.add("a3")?.code == .disconnected)
    }
}
