import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import ServerValues
import Testing

@testable import ServerRuntime

@Suite("The way to what a service keeps on an event loop")
struct EventLoopMailboxTests {
    private let eventLoop = EmbeddedEventLoop()
    private let queue: LoopQueue
    private let mailbox: EventLoopMailbox<NumberList>

    init() {
        queue = LoopQueue(
            eventLoop, number: 0, eventLoopID: 0, congestion: LoopCongestion(), maximumPendingBytes: 16,
            maximumQueuedBytes: 1_024,
            now: { MonotonicInstant(nanoseconds: 0) })
        mailbox = EventLoopMailbox(queue, NumberList())
    }

    @Test("Operations are done in their order, a budget in each turn, and what is done makes room (SV-14, SV-16)")
    func order() {
        for number in 1...5 { #expect(!mailbox.enqueue(NumberList.Append(number: number))) }
        #expect(queue.bytes == 20)
        #expect(mailbox.part.numbers == [])
        eventLoop.run()
        #expect(mailbox.part.numbers == [1, 2, 3, 4, 5])
        #expect(mailbox.part.turns == [1, 2, 2])
        #expect(queue.bytes == 0)
    }

    @Test("A full loop still takes what was said already, and tells it (SV-14)")
    func full() {
        let filling = (1...257).map { mailbox.enqueue(NumberList.Append(number: $0)) }
        #expect(filling == Array(repeating: false, count: 256) + [true])
        eventLoop.run()
        #expect(mailbox.part.numbers == Array(1...257))
        #expect(!mailbox.enqueue(NumberList.Append(number: 0)))
    }

    @Test("The queue of a server that has ended takes nothing any more (SV-77)")
    func closed() {
        mailbox.enqueue(NumberList.Append(number: 1))
        eventLoop.run()
        queue.close()
        #expect(!mailbox.enqueue(NumberList.Append(number: 2)))
        eventLoop.run()
        #expect(mailbox.part.numbers == [1])
        #expect(queue.bytes == 0)
    }
}

@Suite("An event loop of a cluster's node")
struct PacedLoopTests {
    @Test(
        "CR-28: after a long turn the next one waits an eighth of it, at most 1 ms",
        arguments: [(turn: 1_000, pause: 0), (4_000, 500), (80_000, 1_000)] as [(turn: Int64, pause: Int64)])
    func pause(turn: Int64, pause: Int64) {
        let (eventLoop, clusterLoop) = (EmbeddedEventLoop(), EmbeddedEventLoop())
        let clock = NIOLockedValueBox(MonotonicInstant(nanoseconds: 0))
        let queue = LoopQueue(
            eventLoop, number: 0, eventLoopID: 0, congestion: LoopCongestion(), maximumPendingBytes: 1_024,
            maximumQueuedBytes: 1_024, clusterLoop: clusterLoop, now: { clock.withLockedValue { $0 } })
        func pass(_ microseconds: Int64) {
            clock.withLockedValue { $0 = $0.advanced(by: .microseconds(microseconds)) }
        }
        let part = NumberList()
        part.whilePerforming = { pass(turn) }
        let mailbox = EventLoopMailbox(queue, part)
        func enqueue(_ number: Int) {
            mailbox.enqueue(NumberList.Append(number: number))
            clusterLoop.run()
            eventLoop.run()
        }
        enqueue(1)
        enqueue(2)
        #expect(mailbox.part.numbers == (pause == 0 ? [1, 2] : [1]))
        guard pause > 0 else { return }
        pass(pause - 1)
        eventLoop.advanceTime(by: .microseconds(pause - 1))
        #expect(mailbox.part.numbers == [1])
        // What comes during the pause is done with what waits.
        enqueue(3)
        pass(1)
        eventLoop.advanceTime(by: .microseconds(1))
        #expect(mailbox.part.numbers == [1, 2, 3] && mailbox.part.turns == [2, 1])
        pass(pause)
        enqueue(4)
        #expect(mailbox.part.numbers == [1, 2, 3, 4])
    }
}

/// Numbers, appended by operations of four bytes each.
private final class NumberList: LoopPart {
    struct Append: LoopOperation {
        var number: Int
        var queuedBytes: Int { 4 }
    }

    private(set) var numbers: [Int] = []
    /// How many operations each turn has done, from the last turn to the first.
    private(set) var turns: [Int] = []
    var whilePerforming: () -> Void = {}

    func perform(_ operations: [Append], from start: Int, budget: Int) -> (next: Int, bytes: Int) {
        let turn = operations[start...].prefix((budget + 3) / 4)
        numbers += turn.map(\.number)
        turns.insert(turn.count, at: 0)
        whilePerforming()
        return (start + turn.count, turn.count * 4)
    }

    func endTurn(since: MonotonicInstant?) {}
    func sweep(at now: MonotonicInstant) {}
    func connections() -> [any DrainedConnection] { [] }
    func cut() {}
}
