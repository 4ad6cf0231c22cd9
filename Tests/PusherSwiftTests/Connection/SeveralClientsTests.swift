import Testing

@testable import PusherSwift

/// Hazard 12: upstream's log goes to whichever client got a delegate last.
struct SeveralClientsTests {
    // Proof of P12.
    @Test func `each client's delegate hears of its own client only`() {
        let one = Fixture()
        let two = Fixture()
        one.connect()
        let heard = two.delegate.log.count + two.delegate.lines.count
        #expect(heard == 0)
        #expect(!one.delegate.log.isEmpty && one.delegate.states.last == "connecting→connected")
        let before = one.delegate.log
        two.connect()
        #expect(one.delegate.log == before)
        #expect(two.delegate.states.last == "connecting→connected")
    }
}
