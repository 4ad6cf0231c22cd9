import ConnectionEngine
import Testing

@testable import Lifeline

/// Clocks, the disk, and what another process has left.
@Suite struct OutboxRestartTests {
    /// What is there when the process of `bench` ends now, in one that starts `seconds` later.
    private func restarted(
        _ bench: OutboxBench, after seconds: Int64, options: OutboxOptions = OutboxOptions(), repetitionSpan: Duration? = nil
    ) -> OutboxBench {
        var next = OutboxBench(options, repetitionSpan: repetitionSpan, isConnected: false)
        next.now = OutboxInstant(moment: Moment(nanoseconds: 5), unixSeconds: bench.now.unixSeconds + seconds)
        next.restore(bench.records)
        return next
    }

    @Test func `LL-97: what waited is there after a restart, in order, and what failed has failed`() {
        var bench = OutboxBench()
        bench.add("a", to: "x")
        bench.sent("a", .refused(OutboxBench.error))
        bench.disconnect()
        bench.add("b", to: "x")
        bench.add("c", to: "x")
        var next = restarted(bench, after: 60)
        #expect(["a", "b", "c"].map { next.state($0) } == ["refused accessDenied", "waiting", "waiting"])
        next.connect()
        #expect(next.take() == ["send b"])
        // Numbers go on, so that the order stays.
        next.add("d", to: "x")
        #expect(next.records.map(\.id) == ["a", "b", "c", "d"])
    }

    @Test func `LL-97: what was on its way is unknown after a restart, unless the service knows its id`() {
        var bench = OutboxBench()
        bench.add("a")
        var next = restarted(bench, after: 1)
        #expect(next.state("a") == "unknown unknown")
        #expect(next.records.first?.state == .unknown)
        next = restarted(bench, after: 1, repetitionSpan: .seconds(3_300))
        next.connect()
        #expect(next.take() == ["send a"])
        #expect(restarted(bench, after: 3_300, repetitionSpan: .seconds(3_300)).state("a") == "unknown unknown")
        // The clock was set back: nobody knows how long ago it was.
        #expect(restarted(bench, after: -61, repetitionSpan: .seconds(3_300)).state("a") == "unknown unknown")
        next = restarted(bench, after: 86_000, options: OutboxOptions(repeatsUnknown: true))
        #expect(next.state("a") == "waiting")
    }

    @Test func `LL-97: nothing is sent before it is on disk, and before the attempt is noted there`() {
        var bench = OutboxBench()
        bench.holdsStore = true
        bench.add("a")
        #expect(bench.take() == [])
        bench.confirm()
        #expect(bench.take() == [])
        #expect(bench.records.first?.state == .sending)
        bench.confirm()
        #expect(bench.take() == ["send a"])
    }

    @Test func `LL-97: an attempt whose connection was lost while it was noted is put back, and was none`() {
        var bench = OutboxBench(isConnected: false)
        bench.add("a")
        bench.holdsStore = true
        bench.connect()
        bench.disconnect()
        bench.confirm()
        #expect(bench.take() == [])
        #expect(bench.state("a") == "waiting")
        #expect(bench.records.first?.state == .waiting)
        #expect(bench.records.first?.firstSent == nil)
        bench.holdsStore = false
        bench.confirm()
        bench.connect()
        #expect(bench.take() == ["send a"])
    }

    @Test func `LL-97: what the disk does not take is refused; an attempt that it does not note waits`() {
        var bench = OutboxBench()
        bench.storeError = LifelineError(.storageFailed, "Full.")
        bench.add("a")
        #expect(bench.take() == ["a refused storageFailed"])
        #expect(bench.state("a") == nil)
        #expect(bench.machine.bytes == 0)
        bench.storeError = nil
        bench.disconnect()
        bench.add("b")
        bench.storeError = LifelineError(.storageFailed, "Full.")
        bench.connect()
        #expect(bench.take().allSatisfy { $0 == "problem storageFailed" })
        #expect(bench.state("b") == "waiting")
        bench.storeError = nil
        bench.advance(by: 2)
        #expect(bench.take() == ["send b"])
    }

    @Test func `LL-98: time passes by the clock that ran further`() {
        var bench = OutboxBench(isConnected: false)
        bench.add("a", lifetime: .seconds(1_000))
        // The machine slept: its monotonic clock stood still.
        bench.now.unixSeconds += 1_000
        bench.connect()
        #expect(bench.take() == ["a expired"])
        // The time of day was set back meanwhile.
        bench.disconnect()
        bench.add("b", lifetime: .seconds(1_000))
        bench.now.unixSeconds -= 500_000
        bench.advance(by: 999)
        #expect(bench.state("b") == "waiting")
        bench.advance(by: 1)
        #expect(bench.state("b") == "expired")
    }

    @Test func `LL-98: after a restart a message has the rest of its lifetime, or all of it when the clock was set back`() {
        var bench = OutboxBench(isConnected: false)
        bench.add("a", lifetime: .seconds(1_000))
        var next = restarted(bench, after: 400)
        next.advance(by: 599)
        #expect(next.state("a") == "waiting")
        next.advance(by: 1)
        #expect(next.state("a") == "expired")
        next = restarted(bench, after: -500_000)
        next.advance(by: 999)
        #expect(next.state("a") == "waiting")
        next.advance(by: 1)
        #expect(next.state("a") == "expired")
        next = restarted(bench, after: 5_000)
        next.advance(by: 0)
        #expect(next.state("a") == "expired")
    }

    @Test func `LL-97: numbers from a file that are out of range do no harm`() {
        var record = OutboxRecord(
            id: "a", order: 1, channel: "x", event: "e", json: "1", isStored: nil, enqueued: .max, lifetime: .max)
        record.firstSent = .min
        var other = record
        other.id = "b"
        (other.enqueued, other.lifetime, other.firstSent, other.state) = (.min, .min, .max, .sending)
        var bench = OutboxBench(isConnected: false)
        bench.restore([record, other, record])
        bench.advance(by: 1)
        bench.connect()
        #expect(bench.machine.items.count == 2)
    }
}
