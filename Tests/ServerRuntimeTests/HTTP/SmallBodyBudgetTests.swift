import Testing

@testable import ServerRuntime

@Suite("Memory for bodies that are not large (SV-86)")
struct SmallBodyBudgetTests {
    private let first = RemoteAddress(named: "192.0.2.1")
    private let second = RemoteAddress(named: "192.0.2.2")

    @Test("All reservations together stay below the limit, those of one address below an eighth of it")
    func bounds() throws {
        let budget = SmallBodyBudget(maximumBytes: 800)
        let one = try #require(budget.reserve(90, for: first))
        #expect(budget.reserve(11, for: first) == nil && budget.reserve(101, for: second) == nil)
        let other = try #require(budget.reserve(40, for: second))
        #expect(budget.reservedBytes == 130 && one.grow(to: 90) && !one.grow(to: 101))
        #expect(one.grow(to: 100) && budget.reservedBytes == 140 && other.bytes == 40)
        let local = try #require(budget.reserve(660, for: nil))
        #expect(!other.grow(to: 41) && local.bytes == 660 && budget.reservedBytes == 800)
    }

    @Test("A reservation that ends gives back all that it has grown to")
    func release() throws {
        let budget = SmallBodyBudget(maximumBytes: 800)
        do {
            let one = try #require(budget.reserve(10, for: first))
            #expect(one.grow(to: 100) && budget.reserve(1, for: first) == nil)
        }
        #expect(budget.reservedBytes == 0 && budget.reserve(100, for: first) != nil)
    }

    @Test("Sizes at the ends of their type are refused", arguments: [Int.max, 801])
    func absurd(bytes: Int) throws {
        let budget = SmallBodyBudget(maximumBytes: 800)
        let one = try #require(budget.reserve(50, for: nil))
        #expect(budget.reserve(bytes, for: nil) == nil && !one.grow(to: bytes) && budget.reservedBytes == 50)
    }
}
