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

/// Numbers, appended by operations of four bytes each.
private final class NumberList: LoopPart {
    struct Append: LoopOperation {
        var number: Int
        var queuedBytes: Int { 4 }
    }

    private(set) var numbers: [Int] = []
    /// How many operations each turn has done, from the last turn to the first.
    private(set) var turns: [Int] = []

    func perform(_ operations: [Append], from start: Int, budget: Int) -> (next: Int, bytes: Int) {
        let turn = operations[start...].prefix((budget + 3) / 4)
        numbers += turn.map(\.number)
        turns.insert(turn.count, at: 0)
        return (start + turn.count, turn.count * 4)
    }

    func endTurn(since: MonotonicInstant?) {}
    func sweep(at now: MonotonicInstant) {}
    func connections() -> [any DrainedConnection] { [] }
    func cut() {}
}
