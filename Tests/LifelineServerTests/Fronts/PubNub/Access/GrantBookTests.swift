import Identifiers
import RealtimeHub
import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime

@Suite("Grants of one keyset")
struct GrantBookTests {
    @Test("Beyond 100,000 grants the oldest goes")
    func capacity() {
        let book = GrantBook()
        for number in 0..<GrantBook.capacity {
            #expect(book.set(AccessEntry(.init(.channel, Identifier("c\(number)")), rights: 1)) == nil)
        }
        // Whoever keeps grants on disk hears which one to delete there.
        #expect(book.set(AccessEntry(.init(.channel, "last"), rights: 1)) == .init(.channel, "c0"))
        let kept = book.grants(at: 0)
        #expect(GrantBook.capacity == 100_000 && kept.count == GrantBook.capacity)
        #expect(kept.first?.key == .init(.channel, "c1"))
    }
}
