import Dispatch
import EngineRuntime
import NIOConcurrencyHelpers
import Testing

@Suite struct BroadcasterTests {
    /// Even numbers may be dropped; a negative number says how many were.
    private func make(backlog: Int) -> Broadcaster<Int> {
        Broadcaster(backlog: backlog, isDroppable: { $0 % 2 == 0 }, dropped: { -$0 })
    }

    /// A queue that runs nothing until told to.
    private final class HeldQueue: Sendable {
        private let work = NIOLockedValueBox<[@Sendable () -> Void]>([])

        var queue: CallbackQueue {
            CallbackQueue { work in self.work.withLockedValue { $0.append(work) } }
        }

        var count: Int { work.withLockedValue { $0.count } }

        func runAll() {
            while true {
                let next = work.withLockedValue { $0.isEmpty ? nil : $0.removeFirst() }
                guard let next else { return }
                next()
            }
        }
    }

    @Test func `Callbacks and sequences see the same order`() async {
        let broadcaster = make(backlog: 100)
        let seen = NIOLockedValueBox<[Int]>([])
        let observation = broadcaster.observe(on: .inline) { batch in seen.withLockedValue { $0 += batch } }
        let stream = broadcaster.stream()
        for number in 0..<10 { broadcaster.send([number]) }
        broadcaster.finish()
        var fromStream: [Int] = []
        for await number in stream { fromStream.append(number) }
        #expect(fromStream == Array(0..<10))
        #expect(seen.withLockedValue { $0 } == Array(0..<10))
        observation.cancel()
    }

    @Test func `A batch costs one hop, however many elements gather`() {
        let broadcaster = make(backlog: 100)
        let held = HeldQueue()
        let batches = NIOLockedValueBox<[[Int]]>([])
        let observation = broadcaster.observe(on: held.queue) { batch in batches.withLockedValue { $0.append(batch) } }
        for number in 0..<50 { broadcaster.send([number]) }
        #expect(held.count == 1)
        held.runAll()
        #expect(batches.withLockedValue { $0 } == [Array(0..<50)])
        observation.cancel()
    }

    // Proof of BC-3, PA-71.
    @Test func `A slow observer loses what may be dropped, marked in place, and nobody else does`() async {
        let broadcaster = make(backlog: 4)
        let held = HeldQueue()
        let slow = NIOLockedValueBox<[Int]>([])
        let quick = NIOLockedValueBox<[Int]>([])
        let slowObservation = broadcaster.observe(on: held.queue) { batch in slow.withLockedValue { $0 += batch } }
        let quickObservation = broadcaster.observe(on: .inline) { batch in quick.withLockedValue { $0 += batch } }
        for number in 0..<10 { broadcaster.send([number]) }
        held.runAll()
        #expect(slow.withLockedValue { $0 } == [0, 1, 2, 3, -1, 5, -1, 7, -1, 9])
        #expect(quick.withLockedValue { $0 } == Array(0..<10))
        slowObservation.cancel()
        quickObservation.cancel()
    }

    @Test func `A sequence counts what it dropped`() async {
        let broadcaster = make(backlog: 100)
        let stream = broadcaster.stream(limit: 2)
        broadcaster.send([0, 1])
        broadcaster.send([2, 4])
        #expect(stream.droppedCount == 2)
        broadcaster.finish()
        var seen: [Int] = []
        for await number in stream { seen.append(number) }
        #expect(seen == [0, 1, -2])
    }

    @Test func `A cancelled observation is not called any more, and releasing the token cancels it`() {
        let broadcaster = make(backlog: 100)
        let count = NIOLockedValueBox(0)
        var observation: Observation? = broadcaster.observe(on: .inline) { batch in count.withLockedValue { $0 += batch.count } }
        broadcaster.send([1])
        #expect(observation != nil)
        observation = nil
        broadcaster.send([1])
        #expect(count.withLockedValue { $0 } == 1)
    }

    /// Calls the broadcaster when it goes, as view models do.
    private final class Owner: Sendable {
        let broadcaster: Broadcaster<Int>
        let gone: NIOLockedValueBox<Int>

        init(_ broadcaster: Broadcaster<Int>, _ gone: NIOLockedValueBox<Int>) {
            self.broadcaster = broadcaster
            self.gone = gone
        }

        deinit {
            // Takes the lock of the broadcaster: whoever releases this under it stops here for ever.
            broadcaster.observe(on: .inline) { _ in }.cancel()
            gone.withLockedValue { $0 += 1 }
        }
    }

    @Test func `What an observer holds may call the broadcaster when it is released`() {
        let broadcaster = make(backlog: 100)
        let gone = NIOLockedValueBox(0)
        for _ in 0..<100 {
            let owner = Owner(broadcaster, gone)
            let observation = broadcaster.observe(on: .inline) { [owner] _ in _ = owner }
            broadcaster.send([1])
            observation.cancel()
        }
        #expect(gone.withLockedValue { $0 } == 100)
        let kept = broadcaster.observe(on: .inline) { [owner = Owner(broadcaster, gone)] _ in _ = owner }
        broadcaster.finish()
        kept.cancel()
        #expect(gone.withLockedValue { $0 } == 101)
    }

    @Test func `A cancelled consumer gets the end`() async {
        let broadcaster = make(backlog: 100)
        let stream = broadcaster.stream()
        let consumer = Task {
            var count = 0
            for await _ in stream { count += 1 }
            return count
        }
        broadcaster.send([1, 2, 3])
        consumer.cancel()
        #expect(await consumer.value <= 3)
    }

    @Test func `A later loop over a sequence goes on where an earlier one was left`() async {
        let broadcaster = make(backlog: 2)
        let stream = broadcaster.stream(limit: 4)
        broadcaster.send([1, 2, 3])
        #expect(await stream.first { _ in true } == 1)
        broadcaster.send([4, 5, 6])
        #expect(await stream.first { $0 == 3 } == 3)
        broadcaster.finish()
        var rest: [Int] = []
        for await number in stream { rest.append(number) }
        #expect(rest == [4, 5, -1])
        #expect(stream.droppedCount == 1)
    }

    @Test func `Observing a finished broadcaster ends at once`() async {
        let broadcaster = make(backlog: 1)
        broadcaster.finish()
        for await _ in broadcaster.stream() { Issue.record("nothing was sent") }
    }

    @Test func `Callbacks on a dispatch queue arrive in order from many senders of batches`() async {
        let broadcaster = make(backlog: 1_000_000)
        let seen = NIOLockedValueBox<[Int]>([])
        await withCheckedContinuation { done in
            let holder = NIOLockedValueBox<Observation?>(nil)
            let observation = broadcaster.observe(on: .queue(DispatchQueue(label: "test"))) { batch in
                let isComplete = seen.withLockedValue { seen in
                    seen += batch
                    return seen.count == 20_000
                }
                if isComplete {
                    holder.withLockedValue { $0 = nil }
                    done.resume()
                }
            }
            holder.withLockedValue { $0 = observation }
            for start in stride(from: 0, to: 20_000, by: 10) { broadcaster.send(Array(start..<start + 10)) }
        }
        #expect(seen.withLockedValue { $0 } == Array(0..<20_000))
    }
}
