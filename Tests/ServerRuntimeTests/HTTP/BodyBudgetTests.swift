import NIOCore
import ServerValues
import Testing

@testable import ServerRuntime

@Suite("Room and time of large bodies (SV-80 to SV-82)")
struct BodyBudgetTests {
    private let one = RemoteAddress(named: "192.0.2.1")
    private let two = RemoteAddress(named: "192.0.2.2")
    private let three = RemoteAddress(named: "192.0.2.3")

    @Test("Large bodies have their room and no more, and give it back (SV-80)")
    func room() {
        let budget = BodyBudget(maximumBytes: 10)
        var first = budget.reserve(6)
        #expect(first != nil && budget.reserve(5) == nil && budget.reserve(.max) == nil && budget.reservedBytes == 6)
        let second = budget.reserve(4)
        #expect(second != nil && budget.reserve(1) == nil)
        first = nil
        #expect(budget.reservedBytes == 4 && budget.reserve(6) != nil && first == nil)
    }

    @Test("One address has a quarter of the room and one application half, and what ends is given back (SV-81)")
    func shares() {
        let budget = BodyBudget(maximumBytes: 100)
        func reserve(_ bytes: Int, _ address: RemoteAddress?, _ application: String, held: Int = 0) -> BodyReservation? {
            budget.reserve(bytes, for: BodyOwner(address: address, application: application), held: held)
        }
        var held = [reserve(20, one, "a")]
        #expect(reserve(6, one, "a") == nil && reserve(6, one, "b") == nil)
        held += [reserve(5, one, "a"), reserve(25, two, "a")]
        #expect(held.allSatisfy { $0 != nil } && reserve(1, three, "a") == nil)
        let other = reserve(25, three, "b")
        #expect(other != nil && reserve(1, nil, "a") == nil && reserve(24, nil, "b") != nil)
        held = []
        #expect(budget.reservedBytes == 25 && budget.ownerCount == 2)
        // One body that is larger than a share, in parts.
        let large = reserve(60, one, "c")
        #expect(large != nil && reserve(10, one, "c", held: 60) != nil && reserve(10, one, "c") == nil)
    }

    @Test("The room of a body that comes grows with it, not beyond what it may have")
    func growth() {
        let budget = BodyBudget(maximumBytes: 16 << 20)
        let body = LargeBody()
        let limit = 4 << 20
        #expect(body.grow(to: (1 << 20) + 1, limit: limit, for: BodyOwner(), in: budget))
        #expect(body.reserved == (1 << 20) + 1 + BodyBudget.growth && budget.reservedBytes == body.reserved)
        #expect(body.grow(to: (1 << 20) + 2, limit: limit, for: BodyOwner(), in: budget) && body.reservations.count == 1)
        #expect(body.grow(to: limit - 5, limit: limit, for: BodyOwner(), in: budget) && body.reserved == limit)
        #expect(!body.grow(to: 17 << 20, limit: 32 << 20, for: BodyOwner(), in: budget) && budget.reservedBytes == limit)
    }

    @Test("A body has to move by 320 KiB in each 20 s (SV-82)")
    func pace() {
        var pace = TransferPace()
        var now = MonotonicInstant(nanoseconds: 5)
        func isTooSlow(_ total: Int, after seconds: Int) -> Bool {
            now = now.advanced(by: .seconds(seconds))
            return pace.isTooSlow(total, at: now)
        }
        #expect(!isTooSlow(1 << 20, after: 100))
        #expect(!isTooSlow(1 << 20, after: 19))
        #expect(!isTooSlow((1 << 20) + 320 << 10, after: 1))
        // What moved before the window does not count.
        #expect(isTooSlow(1 << 30, after: 20) == false)
        #expect(isTooSlow((1 << 30) + (319 << 10), after: 21))
        // Counted from below, as what waits to be sent.
        var outgoing = TransferPace()
        #expect(outgoing.isTooSlow(-5_000_000, at: now) == false)
        #expect(outgoing.isTooSlow(-4_900_000, at: now.advanced(by: .seconds(20))) == true)
    }
}
