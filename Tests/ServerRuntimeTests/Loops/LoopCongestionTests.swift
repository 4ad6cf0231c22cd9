import NIOConcurrencyHelpers
import ServerValues
import Testing

@testable import ServerRuntime

@Suite("Who waits for full event loops (SV-14)")
struct LoopCongestionTests {
    private let congestion = LoopCongestion()
    private let told = NIOLockedValueBox<[String]>([])

    private func call(_ name: String) -> LoopCongestion.Call {
        { told.withLockedValue { $0.append(name) } }
    }

    private func clear(_ eventLoopID: Int) {
        for call in congestion.clear(eventLoopID) { call() }
    }

    private func loops(_ numbers: Int...) -> EventLoopSet {
        numbers.reduce(into: EventLoopSet()) { $0.insert($1) }
    }

    @Test("Nobody waits for loops that have room")
    func room() {
        #expect(!congestion.wait(for: loops(1), on: 0, call("a")))
        #expect(congestion.wait(call("b")) == nil)
        congestion.fill(2)
        #expect(!congestion.wait(for: loops(1), on: 0, call("a")))
        #expect(congestion.full == loops(2))
        clear(2)
        #expect(told.withLockedValue { $0 } == [])
    }

    @Test("Each is told once, when any loop has room, and may wait again")
    func toldOnce() {
        congestion.fill(1)
        congestion.fill(2)
        #expect(congestion.wait(for: loops(1, 2), on: 0, call("first")))
        // A loop that asks again is still told once.
        #expect(congestion.wait(for: loops(2), on: 0, call("loop")))
        let number = congestion.wait(call("given up"))
        #expect(congestion.wait(call("other")) != nil)
        if let number { congestion.giveUp(number) }
        #expect(told.withLockedValue { $0 } == ["given up"])
        clear(1)
        #expect(told.withLockedValue { $0 } == ["given up", "loop", "other"])
        #expect(congestion.wait(for: loops(2), on: 0, call("again")))
        #expect(!congestion.wait(for: loops(1), on: 0, call("never")))
        clear(2)
        clear(2)
        if let number { congestion.giveUp(number) }
        #expect(told.withLockedValue { $0 } == ["given up", "loop", "other", "again"])
    }

    @Test("At the end everybody is told, and nobody waits any more")
    func end() {
        congestion.fill(0)
        #expect(congestion.wait(call("a")) != nil)
        congestion.end(loops(0, 1))
        congestion.fill(1)
        #expect(congestion.full.isEmpty && congestion.wait(call("b")) == nil)
        #expect(told.withLockedValue { $0 } == ["a"])
    }

    @Test("The end of one server's loops leaves those of another as they are, and its numbers may be given out again")
    func endOfOne() {
        congestion.fill(0)
        congestion.fill(1)
        congestion.end(loops(0))
        #expect(Array(congestion.full) == [1])
        congestion.fill(0)
        #expect(Array(congestion.full) == [1])
        congestion.begin(loops(0))
        congestion.fill(0)
        #expect(Array(congestion.full) == [0, 1])
    }
}
