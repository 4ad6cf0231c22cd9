import Dispatch
import EngineRuntime
import NIOConcurrencyHelpers
import Testing

@Suite struct CoalescingWorkerTests {
    /// A queue that runs nothing until told to.
    private final class HeldQueue: Sendable {
        private let work = NIOLockedValueBox<[@Sendable () -> Void]>([])

        var queue: CallbackQueue {
            CallbackQueue { [self] work in self.work.withLockedValue { $0.append(work) } }
        }

        var count: Int { work.withLockedValue { $0.count } }

        /// Runs the first turn that was asked for. False when there is none.
        func runOne() -> Bool {
            let next = work.withLockedValue { $0.isEmpty ? nil : $0.removeFirst() }
            next?()
            return next != nil
        }
    }

    private final class Seen: Sendable {
        private let seen = NIOLockedValueBox<[[Int]]>([])

        var batches: [[Int]] { seen.withLockedValue { $0 } }

        func note(_ batch: [Int]) { seen.withLockedValue { $0.append(batch) } }
    }

    /// Puts something into a worker when it is released.
    private final class Reentrant: Sendable {
        private let released: @Sendable () -> Void

        init(released: @escaping @Sendable () -> Void) { self.released = released }

        deinit { released() }
    }

    @Test func `LL-140: one turn is asked for and brings what has gathered`() {
        let (held, seen) = (HeldQueue(), Seen())
        let worker = CoalescingWorker<[Int]>(on: .queue(held.queue)) { seen.note($0) }
        for number in 1...3 { worker.put(number) }
        #expect(held.count == 1)
        #expect(held.runOne())
        #expect(seen.batches == [[1, 2, 3]])
        #expect(held.count == 0)
        worker.put(4)
        #expect(held.count == 1)
    }

    @Test func `LL-140: what the closure puts in comes in a turn of its own`() {
        let (held, seen) = (HeldQueue(), Seen())
        let box = NIOLockedValueBox<CoalescingWorker<[Int]>?>(nil)
        let worker = CoalescingWorker<[Int]>(on: .queue(held.queue)) { batch in
            seen.note(batch)
            if batch == [1] {
                let worker = box.withLockedValue { $0 }
                worker?.put(2)
                worker?.put(3)
            }
        }
        box.withLockedValue { $0 = worker }
        worker.put(1)
        #expect(held.runOne())
        #expect(seen.batches == [[1]])
        #expect(held.count == 1)
        #expect(held.runOne())
        #expect(seen.batches == [[1], [2, 3]])
        #expect(!held.runOne())
        box.withLockedValue { $0 = nil }
    }

    @Test func `LL-140: a closure that is called in place may put in as often as it likes`() {
        let seen = NIOLockedValueBox(0)
        let box = NIOLockedValueBox<CoalescingWorker<[Int]>?>(nil)
        let worker = CoalescingWorker<[Int]>(on: .queue(.inline)) { batch in
            for number in batch where number < 100_000 { box.withLockedValue { $0 }?.put(number + 1) }
            seen.withLockedValue { $0 += batch.count }
        }
        box.withLockedValue { $0 = worker }
        worker.put(1)
        #expect(seen.withLockedValue { $0 } == 100_000)
        box.withLockedValue { $0 = nil }
    }

    @Test func `LL-140: elements of each of several threads keep their order, and none is lost`() {
        let (count, threads) = (2_000, 4)
        let seen = NIOLockedValueBox<[Int]>([])
        let calls = NIOLockedValueBox(0)
        let queue = DispatchQueue(label: "test.worker")
        let worker = CoalescingWorker<[Int]>(on: .queue(.queue(queue))) { batch in
            calls.withLockedValue { calls in
                calls += 1
                #expect(calls == 1, "The closure is called twice at a time.")
            }
            seen.withLockedValue { $0 += batch }
            calls.withLockedValue { $0 -= 1 }
        }
        DispatchQueue.concurrentPerform(iterations: threads) { thread in
            for number in 0..<count { worker.put(thread * count + number) }
        }
        // Turns follow each other, so this many are enough for all that was put in.
        for _ in 0...threads * count where seen.withLockedValue({ $0.count }) < threads * count { queue.sync {} }
        let numbers = seen.withLockedValue { $0 }
        #expect(numbers.count == threads * count)
        for thread in 0..<threads {
            #expect(numbers.filter { $0 / count == thread } == Array(thread * count..<(thread + 1) * count))
        }
    }

    @Test func `LL-141: elements are released without the lock, so what they hold may put in more`() {
        let (held, released) = (HeldQueue(), NIOLockedValueBox(0))
        let box = NIOLockedValueBox<CoalescingWorker<[Reentrant?]>?>(nil)
        let worker = CoalescingWorker<[Reentrant?]>(on: .queue(held.queue)) { _ in }
        box.withLockedValue { $0 = worker }
        let element: @Sendable () -> Reentrant = {
            Reentrant {
                released.withLockedValue { $0 += 1 }
                box.withLockedValue { $0 }?.put(nil)
            }
        }
        worker.put(element())
        #expect(held.runOne())
        #expect(released.withLockedValue { $0 } == 1)
        worker.put(element())
        worker.end()
        #expect(released.withLockedValue { $0 } == 2)
        worker.put(element())
        #expect(released.withLockedValue { $0 } == 3)
        box.withLockedValue { $0 = nil }
    }

    @Test func `LL-142: what was put in is handed on although the owner has gone, and nothing after the end`() {
        let (held, seen) = (HeldQueue(), Seen())
        var worker: CoalescingWorker<[Int]>? = CoalescingWorker(on: .queue(held.queue)) { seen.note($0) }
        worker?.put(1)
        worker = nil
        #expect(held.runOne())
        #expect(seen.batches == [[1]])

        let other = CoalescingWorker<[Int]>(on: .queue(held.queue)) { seen.note($0) }
        other.put(2)
        other.end()
        other.put(3)
        while held.runOne() {}
        #expect(seen.batches == [[1]])
    }
}
