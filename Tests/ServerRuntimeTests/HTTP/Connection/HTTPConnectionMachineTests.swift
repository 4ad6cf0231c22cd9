import ServerValues
import Testing

@testable import ServerRuntime

/// The machine of an HTTP connection. Its phases and events are in `HTTPConnectionTable.text`; the other tests are about counts.
@Suite struct HTTPConnectionMachineTests {
    private typealias Machine = HTTPConnectionMachine

    private func reading(limit: Int) -> Machine {
        var machine = Machine(at: .seconds(0))
        machine.gotHead(at: .seconds(0))
        #expect(machine.expectBody(length: nil, limit: limit, awaitsContinue: false) == nil)
        return machine
    }

    @Test func `SV-5, PV-2 and CO-7: every event in every phase of a connection does what the table says`() {
        var expected: [String: String] = [:]
        for line in HTTPConnectionTable.text.split(separator: "\n") {
            let parts = line.split(separator: "|", omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
            expected["\(parts[0]) \(parts[1])"] = "\(parts[2])|\(parts[3])"
        }
        for state in HTTPConnectionState.allCases {
            for event in HTTPConnectionEvent.allCases {
                var machine = state.machine
                let before = machine.phase
                let wanted = event.apply(to: &machine).filter { $0 != " " }
                let listed = expected.removeValue(forKey: "\(state) \(event)")
                #expect(listed ?? "\(before)|" == "\(machine.phase)|\(wanted)", "\(state) | \(event)")
            }
        }
        #expect(expected.isEmpty, "The table has pairs that do not exist: \(expected.keys)")
    }

    @Test func `PV-2: an answer counts for its own request only, and once`() {
        var machine = Machine(at: .seconds(0))
        machine.gotPlainRequest(isKeepAlive: true, at: .seconds(1))
        machine.answerLater()
        let first = machine.number
        #expect(machine.isAnswering(first) && machine.answered(isLast: false, at: .seconds(2)) == .direct)
        #expect(!machine.isAnswering(first))
        machine.gotPlainRequest(isKeepAlive: false, at: .seconds(3))
        machine.answerLater()
        #expect(!machine.isAnswering(first) && machine.isAnswering(machine.number) && machine.isLastRequest)
        #expect(machine.answered(isLast: true, at: .seconds(4)) == .queuedThenClose)
        #expect(machine.answered(isLast: true, at: .seconds(5)) == nil)
    }

    @Test func `PV-2: answers within a read, and answers behind one that waits, are queued until the flush`() {
        var machine = Machine(at: .seconds(0))
        machine.isInRead = true
        machine.gotPlainRequest(isKeepAlive: true, at: .seconds(0))
        #expect(machine.answered(isLast: false, at: .seconds(0)) == .queued)
        machine.isInRead = false
        machine.gotPlainRequest(isKeepAlive: true, at: .seconds(0))
        #expect(machine.answered(isLast: false, at: .seconds(0)) == .queued)
        #expect([machine.takeFlush(), machine.takeFlush()] == [true, false])
        machine.gotPlainRequest(isKeepAlive: true, at: .seconds(0))
        #expect(machine.answered(isLast: false, at: .seconds(0)) == .direct)
        #expect(machine.takeFlush() == false)
        machine.leftRest()
        #expect(machine.takeFlush() == true)
    }

    @Test func `PV-2: reading pauses beyond 64 KiB or before a peer that does not read, and goes on once`() {
        var machine = Machine(at: .seconds(0))
        #expect(machine.updateReading(unreadBytes: 65_536, isWritable: true) == nil)
        #expect(machine.updateReading(unreadBytes: 65_537, isWritable: true) == .setReading(false))
        #expect(machine.updateReading(unreadBytes: 0, isWritable: false) == nil)
        #expect(machine.updateReading(unreadBytes: 0, isWritable: true) == .setReading(true))
        #expect(machine.updateReading(unreadBytes: 0, isWritable: true) == nil)
    }

    @Test func `SV-5: a head in pieces has its time from the first one, and the parser gets it after 16`() {
        var machine = Machine(at: .seconds(0))
        for piece in 1...16 { #expect(machine.gotPiece(at: .seconds(Int64(piece))) == .stop) }
        #expect(machine.gotPiece(at: .seconds(17)) == .startParser && machine.since == .seconds(1))
        machine.gotHead(isToHead: true, at: .seconds(18))
        #expect(machine.since == .seconds(1) && machine.isToHead)
        #expect(machine.sweep(at: .seconds(10), HTTPConnectionEvent.limits) == nil)
        #expect(machine.sweep(at: .seconds(11), HTTPConnectionEvent.limits) == .refuse(.tooSlow))
        #expect(machine.answered(isLast: false, at: .seconds(18)) == .direct && machine.isBetweenRequests)
    }

    @Test func `SV-82: a body has a second more for each 16 KiB of it where large bodies are allowed`() {
        for (limit, allowed) in [((1 << 20) + 1, Int64(12)), (1 << 20, 10)] {
            var machine = reading(limit: limit)
            #expect(machine.gotBody(40_000, hasRoom: true) == .append)
            #expect(machine.sweep(at: .seconds(allowed - 1), HTTPConnectionEvent.limits, incoming: .moving) == nil)
            #expect(machine.sweep(at: .seconds(allowed), HTTPConnectionEvent.limits, incoming: .moving) == .refuse(.tooSlow))
        }
    }

    @Test func `SV-48: a body may have 16 KiB of framing and eight bytes for each of its own`() {
        var machine = reading(limit: 1_000_000)
        var mark = machine.mark
        #expect(machine.gotBody(1_000, hasRoom: true) == .append)
        // 1,000 bytes of the body with 24,384 around them.
        #expect(machine.parsed(25_384, since: mark) == nil)
        mark = machine.mark
        #expect(machine.parsed(1, since: mark) == .refuse(.excessiveFraming))
        // What the parser has read of another request counts for neither.
        mark = machine.mark
        #expect(machine.answered(isLast: false, at: .seconds(0)) == .direct)
        machine.gotHead(at: .seconds(0))
        #expect(machine.expectBody(length: nil, limit: 10, awaitsContinue: false) == nil)
        #expect(machine.parsed(100_000, since: mark) == nil && machine.bodyBytes == 0)
    }

    @Test func `SV-5: a request that is refused before its end is not cut off, and one that was read completely is closed`() {
        var machine = reading(limit: 10)
        #expect(machine.gotBody(11, hasRoom: true) == .refuse(.bodyTooLarge))
        machine.endAfterAnswer()
        #expect(machine.isLastRequest && machine.answered(isLast: true, at: .seconds(1)) == .queued)
        #expect(machine.sweep(at: .seconds(3), HTTPConnectionEvent.limits) == nil)
        #expect(machine.sweep(at: .seconds(4), HTTPConnectionEvent.limits) == .close)
        machine = reading(limit: 10)
        #expect(machine.gotBody(10, hasRoom: true) == .append && machine.gotEnd() == .handle)
        #expect(machine.answered(isLast: true, at: .seconds(1)) == .queuedThenClose)
    }

    @Test func `PV-2: parts from the parser wait behind a request that is answered later, and behind each other`() {
        let waiting: [HTTPConnectionMachine.Phase] = HTTPConnectionState.allCases.map(\.machine)
            .filter { $0.mustWait(behindParts: false) }.map(\.phase)
        #expect(waiting == [.answering, .holding])
        #expect(HTTPConnectionState.rested.machine.mustWait(behindParts: true))
        #expect(!HTTPConnectionState.reading.machine.mustWait(behindParts: true))
    }
}
