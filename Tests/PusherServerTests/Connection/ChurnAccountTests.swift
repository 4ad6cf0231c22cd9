import ServerValues
import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime

@Suite("What ended subscriptions cost (SP-64)")
struct ChurnAccountTests {
    @Test("Time forgives, a clock that goes back does not, and no more is owed than a minute forgives")
    func forgiving() {
        var account = ChurnAccount(at: .seconds(100))
        func isAllowed(at now: MonotonicInstant) -> Bool { account.allowsSubscribing(at: now) }
        #expect(isAllowed(at: .seconds(100)))
        account.charge(ChurnAccount.credit, at: .seconds(100))
        #expect(!isAllowed(at: .seconds(100)))
        #expect(!isAllowed(at: .seconds(0)))
        #expect(isAllowed(at: .seconds(101)))
        for _ in 0..<1_000 { account.charge(1_000_000, at: .seconds(101)) }
        #expect(!isAllowed(at: .seconds(160)))
        #expect(isAllowed(at: .seconds(162)))
        #expect(isAllowed(at: MonotonicInstant(nanoseconds: .max)))
    }
}
