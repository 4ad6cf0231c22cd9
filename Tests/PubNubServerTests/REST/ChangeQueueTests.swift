import NIOConcurrencyHelpers
import Testing

@testable import PubNubServer
@testable import ServerTestSupport

@Suite("Changes one after the other")
struct ChangeQueueTests {
    private final class Ends: Sendable {
        private let ends = NIOLockedValueBox<[@Sendable () -> Void]>([])
        let begun = NIOLockedValueBox<[Int]>([])

        func change(_ number: Int) -> ChangeQueue.Change {
            { end in
                self.begun.withLockedValue { $0 += [number] }
                self.ends.withLockedValue { $0.append(end) }
            }
        }

        func endOldest() {
            let end = ends.withLockedValue { $0.removeFirst() }
            end()
        }
    }

    @Test("The next change begins when the last one has ended, in the order of the calls")
    func order() {
        let (queue, ends) = (ChangeQueue(), Ends())
        for number in 1...3 { #expect(queue.add(ends.change(number))) }
        #expect(ends.begun.withLockedValue { $0 } == [1])
        ends.endOldest()
        #expect(ends.begun.withLockedValue { $0 } == [1, 2])
        ends.endOldest()
        ends.endOldest()
        #expect(queue.add(ends.change(4)) && ends.begun.withLockedValue { $0 } == [1, 2, 3, 4])
    }

    // Proof of PV-61, PU-6, PV-180.
    @Test("As many changes wait as the limit says; a further one is refused and never made")
    func limit() {
        let (queue, ends) = (ChangeQueue(limit: 1), Ends())
        #expect(queue.add(ends.change(1)) && queue.add(ends.change(2)) && !queue.add(ends.change(3)))
        ends.endOldest()
        ends.endOldest()
        #expect(queue.add(ends.change(4)) && ends.begun.withLockedValue { $0 } == [1, 2, 4])
    }

    @Test("Many changes that end in their calls need no deep stack")
    func atOnce() {
        let queue = ChangeQueue(limit: 200_000)
        let (ends, made) = (Ends(), NIOLockedValueBox(0))
        #expect(queue.add(ends.change(1)))
        for _ in 0..<100_000 {
            _ = queue.add { end in
                made.withLockedValue { $0 += 1 }
                end()
            }
        }
        ends.endOldest()
        #expect(made.withLockedValue { $0 } == 100_000)
    }

    @Test("An error of a change is its caller's, and the next change is made")
    func errors() async throws {
        struct Failure: Error {}
        let queue = ChangeQueue()
        await #expect(throws: Failure.self) { try await queue.run { throw Failure() } }
        #expect(try await queue.run { 7 } == 7)
    }

    @Test("One owner has a quarter of the places, given back when its changes begin (PV-180)")
    func shares() {
        let (queue, ends) = (ChangeQueue(limit: 8), Ends())
        #expect(queue.add(ends.change(0)))
        #expect(
            queue.add(for: "a", ends.change(1)) && queue.add(for: "a", ends.change(2)) && !queue.add(for: "a", ends.change(3)))
        #expect(queue.add(for: "b", ends.change(4)) && queue.add(ends.change(5)))
        ends.endOldest()
        #expect(queue.add(for: "a", ends.change(6)))
    }
}
