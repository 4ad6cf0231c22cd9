import ServerValues
import Testing

@testable import PusherServer

@Suite struct EventLoopCountsTests {
    @Test func `HB-3: a channel knows how many subscriptions each event loop has`() {
        var random = SystemRandomNumberGenerator()
        for limit in [1, 2, 5, 64] {
            var counts = EventLoopCounts()
            var model: [Int: Int] = [:]
            for step in 0..<2_000 {
                let id = Int.random(in: 0..<limit, using: &random)
                // More come than go, and then the other way round.
                if Int.random(in: 0..<5, using: &random) < (step % 400 < 200 ? 3 : 2) {
                    counts.add(id)
                    model[id, default: 0] += 1
                } else {
                    #expect(counts.remove(id) == (model[id] != nil))
                    model[id] = model[id].flatMap { $0 > 1 ? $0 - 1 : nil }
                }
                #expect(counts.total == model.values.reduce(0, +))
                #expect(Array(counts.audience) == model.keys.sorted())
            }
        }
    }

    @Test func `HB-3: numbers of event loops that do not exist count as the nearest one`() {
        var counts = EventLoopCounts()
        for id in [-1, 64, .max, .min] { counts.add(id) }
        #expect(Array(counts.audience) == [0, 63] && counts.total == 4)
        #expect(counts.remove(100) && counts.remove(63) && !counts.remove(64))
        #expect(Array(counts.audience) == [0])
    }

    /// A leader has one for each channel of all nodes.
    @Test func `HB-2: a channel without members and without a cached message is small`() {
        #expect(MemoryLayout<HubChannel>.size <= 64)
    }
}
