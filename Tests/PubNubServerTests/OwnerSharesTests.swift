import Identifiers
import ServerValues
import Testing

@testable import PubNubServer
@testable import ServerTestSupport

@Suite("What single owners have added lately (PV-180)")
struct OwnerSharesTests {
    private typealias Size = OwnerShares.Size
    private let share = Size(count: 4, bytes: 100)

    private func time(_ seconds: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: seconds * 1_000_000_000) }

    @Test("An owner has its share of each kind, others have theirs, and what is removed counts no more")
    func shares() {
        var shares = OwnerShares()
        func add(_ count: Int, _ bytes: Int, _ owner: Identifier = "a", _ kind: OwnerShares.Kind = .groups) -> Bool {
            shares.add(Size(count: count, bytes: bytes), to: kind, by: owner, share: share, at: time(0))
        }
        #expect(add(4, 10) && !add(1, 0) && add(0, 90) && !add(0, 1))
        #expect(add(1, 1, "b") && add(1, 1, "a", .files))
        #expect(add(-1, -50) && add(1, 50) && !add(1, 0))
        #expect(add(-9, -900) && shares.ownerCount == 2)
        // Who has nothing may add one thing of any size.
        #expect(add(1, 1000) && !add(0, 1))
    }

    @Test("What was added counts less and less, and not at all after a day")
    func time() {
        var shares = OwnerShares()
        func add(_ count: Int, at seconds: Int64) -> Bool {
            shares.add(Size(count: count), to: .groups, by: "a", share: share, at: time(seconds))
        }
        #expect(add(4, at: 0) && !add(1, at: 21_599) && add(1, at: 21_601) && !add(1, at: 21_601))
        #expect(add(4, at: 21_601 + 86_400))
    }

    // Proof of PV-180.
    @Test("The table of owners is bounded: further ones share what one may have")
    func bounds() {
        var shares = OwnerShares(maximumOwners: 2000)
        for number in 0..<3000 {
            _ = shares.add(Size(count: 1), to: .groups, by: Identifier("a\(number)"), share: share, at: time(0))
        }
        #expect(shares.ownerCount == 2001)
        #expect(shares.add(Size(count: 1), to: .groups, by: "other", share: share, at: time(0)) == false)
        #expect(shares.add(Size(count: 1), to: .groups, by: "a1", share: share, at: time(0)) == true)
        for number in 0..<3000 {
            _ = shares.add(Size(count: 1), to: .groups, by: Identifier("b\(number)"), share: share, at: time(86_400))
        }
        #expect(shares.ownerCount == 2001)
        #expect(shares.add(Size(count: 1), to: .groups, by: "a1", share: share, at: time(86_400)) == false)
    }

    @Test("A full table has room again once the additions of its owners have ended (PV-180)")
    func roomAgain() {
        var shares = OwnerShares(maximumOwners: 2000)
        func add(_ owner: String, at seconds: Int64) -> Bool {
            shares.add(Size(count: 1), to: .groups, by: Identifier(owner), share: share, at: time(seconds))
        }
        for number in 0..<2100 { _ = add("a\(number)", at: 0) }
        #expect(!add("new", at: 1) && shares.ownerCount == 2001)
        #expect(add("new", at: 86_400) && shares.ownerCount == 1)
        for _ in 0..<3 { #expect(add("new", at: 86_400)) }
        #expect(!add("new", at: 86_400) && add("other", at: 86_400) && shares.ownerCount == 2)
    }

    @Test("A full table is not scanned for each addition (PV-180)")
    func pause() {
        var shares = OwnerShares(maximumOwners: 3)
        func add(_ owner: Identifier, at seconds: Int64) -> Bool {
            shares.add(Size(count: 4), to: .groups, by: owner, share: share, at: time(seconds))
        }
        #expect(add("a", at: 0) && add("b", at: 0) && add("c", at: 86_350))
        // The table is full, so that this owner shares its limit with the next one until the next scan.
        #expect(add("d", at: 86_350) && !add("e", at: 86_401) && shares.ownerCount == 4)
        #expect(add("e", at: 86_410) && shares.ownerCount == 3)
    }
}
