import Testing

@testable import ServerConsole

@Suite("Which passwords are hashed, and which wait (CO-13)")
struct HashingQueueTests {
    @Test("Two at a time; known visitors go first, strangers in their order; each has a bound of its own")
    func order() {
        var queue = HashingQueue<Int>()
        let (first, second) = (queue.add(1, isKnown: false), queue.add(2, isKnown: false))
        #expect(first == .begin && second == .begin)
        for number in 0..<16 {
            let verdict = queue.add(10 + number, isKnown: false)
            #expect(verdict == .wait)
        }
        let full = queue.add(99, isKnown: false)
        #expect(full == .full)
        for number in 0..<16 {
            let verdict = queue.add(50 + number, isKnown: true)
            #expect(verdict == .wait)
        }
        let knownFull = queue.add(99, isKnown: true)
        #expect(knownFull == .full && queue.count == 32)
        var order: [Int] = []
        while let next = queue.next() { order.append(next) }
        #expect(order == Array(50..<66) + Array(10..<26))
        // The second of the two that run.
        #expect(queue.running == 1)
        let last = queue.next()
        #expect(last == nil && queue.running == 0)
    }
}
