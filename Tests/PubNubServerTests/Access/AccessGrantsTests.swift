import Identifiers
import ServerStorage
import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Grants of one keyset")
struct AccessGrantsTests {
    // Proof of PV-84.
    @Test("Beyond 100,000 grants the oldest goes")
    func capacity() {
        let book = AccessGrants()
        for number in 0..<AccessGrants.capacity {
            #expect(book.set(AccessEntry(.init(.channel, Identifier("c\(number)")), rights: 1)) == nil)
        }
        // Whoever keeps grants on disk hears which one to delete there.
        #expect(book.set(AccessEntry(.init(.channel, "last"), rights: 1)) == .init(.channel, "c0"))
        let kept = book.grants(at: 0)
        #expect(AccessGrants.capacity == 100_000 && kept.count == AccessGrants.capacity)
        #expect(kept.first?.key == .init(.channel, "c1"))
    }
}
