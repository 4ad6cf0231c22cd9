import Testing

@testable import PusherServer
@testable import ServerTestSupport

@Suite("Room and time for replays (RV-13, RV-17)")
struct ReplayBudgetTests {
    @Test("Half of what may wait for a connection is its own, the rest comes from the room of all, and goes back")
    func pool() {
        var budget = ReplayBudget(pendingBytes: 1_000)
        var asked: [Int] = []
        let room = budget.reserve(answersAtOnce: true) { bytes in
            asked.append(bytes)
            return 700
        }
        #expect(asked == [3_500] && room == 1_200 && budget.pooled == 700)
        // 300 of 900 bytes are beyond what is its own.
        #expect(budget.settle(room, with: 800, at: .seconds(1)) == 400)
        #expect(budget.pooled == 300 && budget.used == 800)
    }

    @Test("RV-21: A request that waits for the leader reserves an eighth of what is left")
    func waiting() {
        var budget = ReplayBudget(pendingBytes: 1_000)
        #expect(budget.reserve(answersAtOnce: false) { $0 } == 500)
        #expect(budget.reserve(answersAtOnce: false) { $0 } == 437)
        #expect(budget.reserve(answersAtOnce: true) { $0 } == 4_000 - 937)
    }

    @Test("With nothing left for all, a connection has its own room and no more")
    func empty() {
        var budget = ReplayBudget(pendingBytes: 1_000)
        #expect(budget.reserve(answersAtOnce: true) { _ in 0 } == 500)
        #expect(budget.reserve(answersAtOnce: true) { _ in 0 } == 0)
        #expect(budget.settle(500, with: 200, at: .seconds(1)) == 0)
        #expect(budget.settle(0, with: 0, at: .seconds(1)) == 0)
        #expect(budget.reserve(answersAtOnce: true) { _ in 0 } == 300)
    }

    @Test("A client that takes nothing for 15 s is stalled; each byte that it takes, and nothing to take, count")
    func stall() {
        var budget = ReplayBudget(pendingBytes: 1_000)
        #expect(!budget.isStalled(at: .seconds(100)))
        budget.observe(taken: 5, pendingBytes: 100, at: .seconds(0))
        budget.observe(taken: 5, pendingBytes: 100, at: .seconds(10))
        #expect(!budget.isStalled(at: .seconds(14)) && budget.isStalled(at: .seconds(15)))
        budget.observe(taken: 6, pendingBytes: 99, at: .seconds(14))
        #expect(!budget.isStalled(at: .seconds(28)) && budget.isStalled(at: .seconds(29)))
        budget.observe(taken: 6, pendingBytes: 0, at: .seconds(28))
        #expect(!budget.isStalled(at: .seconds(42)) && budget.isStalled(at: .seconds(43)))
    }

    @Test("The room is kept for ten seconds and one more for each 64 KiB, from the last answer on")
    func time() {
        var budget = ReplayBudget(pendingBytes: 1 << 20)
        let room = budget.reserve(answersAtOnce: true) { $0 }
        #expect(!budget.isOverdue(at: .seconds(1_000)))
        _ = budget.settle(room, with: 128 * 1_024, at: .seconds(5))
        #expect(!budget.isOverdue(at: .seconds(16)) && budget.isOverdue(at: .seconds(17)))
        #expect(!budget.isOver(at: .seconds(17), pendingBytes: 1) && budget.isOver(at: .seconds(17), pendingBytes: 0))
    }
}
