import NIOConcurrencyHelpers
import Testing

@testable import LifelineUI

@Suite(.timeLimit(.minutes(1))) struct DemandGateTests {
    @Test func `UI-7: as many pass as were asked for, and the next one waits`() async {
        let gate = DemandGate()
        gate.add(2)
        #expect(await gate.pass())
        #expect(await gate.pass())
        async let third = gate.pass()
        gate.add(0)
        gate.add(-1)
        gate.add(1)
        #expect(await third)
    }

    @Test func `UI-7: without a limit all pass, and no sum is too large`() async {
        let gate = DemandGate()
        gate.add(.max)
        gate.add(.max)
        for _ in 0..<100 { #expect(await gate.pass()) }
        let other = DemandGate()
        other.add(nil)
        other.add(1)
        for _ in 0..<100 { #expect(await other.pass()) }
    }

    @Test func `UI-7: a cancelled gate lets nobody through, and says so once`() async {
        let gate = DemandGate()
        let calls = NIOLockedValueBox(0)
        gate.onCancel { calls.withLockedValue { $0 += 1 } }
        async let waiting = gate.pass()
        gate.cancel()
        gate.cancel()
        #expect(await !waiting)
        gate.add(5)
        #expect(await !gate.pass())
        #expect(gate.isCancelled && calls.withLockedValue { $0 } == 1)
        gate.onCancel { calls.withLockedValue { $0 += 1 } }
        #expect(calls.withLockedValue { $0 } == 2)
    }
}
