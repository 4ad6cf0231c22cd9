import NIOCore
import Testing

@testable import ServerCluster

@Suite("Names and words of a store")
struct StoreWordTests {
    @Test("HB-11: Keys and words with different bytes are different, even if Unicode treats their texts as equal")
    func bytes() {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        #expect(composed == decomposed)
        #expect(StoreKey(composed) != StoreKey(decomposed))
        #expect(Set([StoreKey(composed), StoreKey(decomposed), StoreKey(composed)]).count == 2)
        #expect(StoreWord.text(composed) != .text(decomposed))
        #expect(Set<StoreWord>([.text(composed), .text(decomposed), .text(composed)]).count == 2)
        #expect(StoreWord.text("1") != .integer(1))
        #expect(StoreWord.bytes(ByteBuffer(string: "a")) == .bytes(ByteBuffer(string: "a")))
    }
}
